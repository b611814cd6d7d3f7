package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
)

// JUnit writes the run as the JUnit XML that CI systems read: a suite an area,
// a case a contract. It is a [Renderer].
//
// What fails the run is a failure; what could not be run is an error; what was
// passed over (unsupported, not-exercised) or is known to fail is skipped,
// with the reason; a weak verdict that does not fail the run is a passed case
// that says so. A run that was cut short, or that judged nothing, has one more
// case, "run", with an error, since no file may look green that proves nothing.
func JUnit(w io.Writer, run Run) error {
	file := junitFile{Name: plainXML(run.Tool.Name + " " + run.Client.Name), Time: seconds(run.Meta.Duration)}
	for _, area := range areas(run) {
		file.add(junitSuiteOf(run, area))
	}
	if status := ExitStatus(run); run.Meta.Partial || status == NothingJudged {
		text := plainXML(conclusion(run, status))
		file.add(junitSuite{Name: "run", Cases: []junitCase{{
			Name: "run", Class: className(run, "run"), Time: seconds(0),
			Error: &junitProblem{Type: "incomplete", Message: text, Text: text},
		}}})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write the results as JUnit XML: %w", err)
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(file); err != nil {
		return fmt.Errorf("write the results as JUnit XML: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write the results as JUnit XML: %w", err)
	}
	return nil
}

type junitFile struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Time   string       `xml:"time,attr"`
	Suites []junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Time      string      `xml:"time,attr,omitempty"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
}

// junitCase has its elements in the order in which the schemas want them.
type junitCase struct {
	Name       string           `xml:"name,attr"`
	Class      string           `xml:"classname,attr"`
	Time       string           `xml:"time,attr"`
	Properties *junitProperties `xml:"properties"`
	Skipped    *junitProblem    `xml:"skipped"`
	Error      *junitProblem    `xml:"error"`
	Failure    *junitProblem    `xml:"failure"`
	Output     *junitOutput     `xml:"system-out"`
}

type junitProperties struct {
	Properties []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitProblem struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

type junitOutput struct {
	Text string `xml:",cdata"`
}

// add appends a suite and counts its cases.
func (f *junitFile) add(suite junitSuite) {
	suite.junitCounts = junitCounts{}
	for _, one := range suite.Cases {
		suite.Tests++
		switch {
		case one.Failure != nil:
			suite.Failures++
		case one.Error != nil:
			suite.Errors++
		case one.Skipped != nil:
			suite.Skipped++
		}
	}
	f.Tests += suite.Tests
	f.Failures += suite.Failures
	f.Errors += suite.Errors
	f.Skipped += suite.Skipped
	f.Suites = append(f.Suites, suite)
}

func areas(run Run) []string {
	var names []string
	for _, result := range run.Results {
		names = append(names, result.Area)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func junitSuiteOf(run Run, area string) junitSuite {
	suite := junitSuite{Name: plainXML(area), Timestamp: run.Meta.Started.UTC().Format("2006-01-02T15:04:05")}
	var spent time.Duration
	for _, result := range run.Results {
		if result.Area == area {
			suite.Cases = append(suite.Cases, junitCaseOf(run, result))
			spent += result.Meta.Duration
		}
	}
	suite.Time = seconds(spent)
	return suite
}

func junitCaseOf(run Run, result Result) junitCase {
	made := junitCase{
		Name: plainXML(result.ID), Class: className(run, result.Area), Time: seconds(result.Meta.Duration),
		Properties: &junitProperties{[]junitProperty{
			{"title", plainXML(result.Title)},
			{"level", string(result.Level)},
			{"basis", string(result.Basis)},
			{"verdict", string(result.Verdict)},
		}},
	}
	problem := &junitProblem{Type: string(result.Verdict), Message: plainXML(oneLine(result))}
	switch {
	case breaks(result, run.Selection.FailOn):
		problem.Text = plainXML(Explain(result))
		made.Failure = problem
	case slices.Contains(impossible, result.Verdict):
		problem.Text = plainXML(Explain(result))
		made.Error = problem
	case slices.Contains(passedOver, result.Verdict), result.Verdict == assertions.KnownFail:
		problem.Type = ""
		problem.Message = string(result.Verdict) + ": " + problem.Message
		made.Skipped = problem
	case result.Verdict == assertions.Weak:
		made.Output = &junitOutput{plainXML(Explain(result))}
	case result.Verdict == assertions.Observed:
		made.Output = &junitOutput{plainXML(observations(result))}
	default:
	}
	return made
}

func oneLine(result Result) string {
	if result.Reason != "" {
		return result.Reason
	}
	return result.Title
}

// className tells the clients apart where several files are read together.
func className(run Run, area string) string {
	return plainXML(run.Client.Name + "." + area)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// plainXML leaves out what XML 1.0 cannot hold, escaped or not: control
// characters other than tab and line ends, and the non-characters. Tab and
// carriage return become a space: where they are not escaped, readers make
// something else of them, and a terminal jumps.
func plainXML(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\r':
			return ' '
		case r == '\n',
			0x20 <= r && r <= 0x7e,
			0xa0 <= r && r <= 0xd7ff,
			0xe000 <= r && r <= 0xfffd,
			0x10000 <= r && r <= 0x10ffff:
			return r
		default:
			return -1
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
