// Package reports is the result model of a run and what renders it.
//
// A [Run] holds one [Result] a contract, sorted by id. [FromEvidence] makes a
// result of what the judge was given and what it said; [Assemble] makes the
// run. The JSON form is the published format (results.schema.json); [Read] is
// its strict reader, and [Merge] joins the shards of a run. A renderer is a
// [Renderer]: [JSON], [JUnit], [Markdown], [HTML] and [Terminal]. A new one is a
// file of its own that reads the model and nothing else; the HTML page has its
// template, style and script in page/, and timeline.go draws the attempts.
//
// Reports are made to be uploaded. Three rules follow:
//
//   - What varies from run to run (times, ports, the machine) stands under a key
//     `meta`, in a run, a result, a call and an attempt, so that without these
//     keys two runs can be compared. Only the checks tell of times besides, in
//     words and by the limits that they judged by, and attempts of parallel
//     calls stand in the order of their arrival.
//   - There are no paths: what names a place of the machine is replaced
//     ([Options.Places]).
//   - Secrets appear only as a keyed hash ([Redactor]): equal secrets are equal
//     within a run, and nothing else can be learned from it. Bodies are left
//     out unless they are asked for.
//
// It imports faultserver, scenarios and assertions.
package reports
