package scenarios

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/faultsrv/faultsrv/faultserver"
)

// acts are the acts that can be written in a script, by their names, each with
// what its value may be besides a mapping of its parameters.
var acts = map[string]actForm{
	"respond":     act[faultserver.Respond]("a status", scalarStatus),
	"succeed":     act[faultserver.Succeed]("", nil),
	"reset":       act[faultserver.Reset]("a point", scalarPoint),
	"close":       act[faultserver.Close]("a point", scalarPoint),
	"stall":       act[faultserver.Stall]("a duration or a point", scalarStall),
	"truncate":    act[faultserver.Truncate]("a size", scalarTruncate),
	"redirect":    act[faultserver.Redirect]("a status", scalarRedirect),
	"stale":       act[faultserver.Stale]("a duration, or fin or rst", scalarStale),
	"refuse":      act[faultserver.Refuse]("a duration", scalarRefuse),
	"accept-hang": act[faultserver.AcceptHang]("a duration", scalarAcceptHang),
	"pass":        act[faultserver.Untouched]("", nil),

	"connect-hang":    act[faultserver.ConnectHang]("a duration", scalarConnectHang),
	"raw":             act[faultserver.Raw]("a text", scalarRaw),
	"malformed":       act[faultserver.Malformed]("what is broken", scalarMalformed),
	"dribble":         act[faultserver.Dribble]("a duration", scalarDribble),
	"bandwidth":       act[faultserver.Bandwidth]("a size", scalarBandwidth),
	"slow-read":       act[faultserver.SlowRead]("a duration", scalarSlowRead),
	"expect-continue": act[faultserver.ExpectContinue]("sent, late or never", scalarExpectContinue),
	"throttle":        act[faultserver.Throttle]("a number", scalarThrottle),
	"capacity":        act[faultserver.Capacity]("a number", scalarCapacity),
	"outage":          act[faultserver.Outage]("a number of attempts or a duration", scalarOutage),
	"flap":            act[faultserver.Flap]("", nil),
	"tls":             act[faultserver.TLS]("what goes wrong", scalarTLS),
	"ramp":            act[faultserver.Ramp]("a number of attempts or a duration", scalarRamp),
}

// actForm is how an act is written.
type actForm struct {
	parameters reflect.Type
	// short says what the act's value may be as one word; empty: nothing.
	short string
	// read reads that word into the act and, for a point, into its step.
	read func(d *decoder, n node, step *faultserver.Step, act reflect.Value)
}

// ActForm says how an act of the format is written, for the schema and the
// reference.
type ActForm struct {
	Name string
	// Parameters is the struct of its parameters.
	Parameters reflect.Type
	// Short says what the act's value may be as one word; empty: nothing.
	Short string
}

// ActForms are the acts that are built, sorted by name.
func ActForms() []ActForm {
	var forms []ActForm
	for name, form := range acts {
		forms = append(forms, ActForm{Name: name, Parameters: form.parameters, Short: form.short})
	}
	slices.SortFunc(forms, func(a, b ActForm) int { return strings.Compare(a.Name, b.Name) })
	return forms
}

func act[A faultserver.Act](short string, read func(*decoder, node, *faultserver.Step, *A)) actForm {
	form := actForm{parameters: reflect.TypeFor[A](), short: short}
	if read != nil {
		form.read = func(d *decoder, n node, step *faultserver.Step, act reflect.Value) {
			read(d, n, step, act.Addr().Interface().(*A)) //nolint:forcetypeassert // act has the type of parameters
		}
	}
	return form
}

func scalarStatus(d *decoder, n node, _ *faultserver.Step, act *faultserver.Respond) {
	one(d, n, &act.Status)
}

func scalarRedirect(d *decoder, n node, _ *faultserver.Step, act *faultserver.Redirect) {
	one(d, n, &act.Status)
}

func scalarTruncate(d *decoder, n node, _ *faultserver.Step, act *faultserver.Truncate) {
	one(d, n, &act.After)
}

func scalarStale(d *decoder, n node, _ *faultserver.Step, act *faultserver.Stale) {
	if isNumber(n) {
		one(d, n, &act.After)
		return
	}
	one(d, n, &act.End)
}

func scalarRefuse(d *decoder, n node, _ *faultserver.Step, act *faultserver.Refuse) {
	one(d, n, &act.For)
}

func scalarAcceptHang(d *decoder, n node, _ *faultserver.Step, act *faultserver.AcceptHang) {
	one(d, n, &act.For)
}

func scalarRaw(d *decoder, n node, _ *faultserver.Step, act *faultserver.Raw) {
	act.Pieces = make([]faultserver.Piece, 1)
	one(d, n, &act.Pieces[0])
}

func scalarMalformed(d *decoder, n node, _ *faultserver.Step, act *faultserver.Malformed) {
	one(d, n, &act.What)
}

func scalarDribble(d *decoder, n node, _ *faultserver.Step, act *faultserver.Dribble) {
	one(d, n, &act.Every)
}

func scalarBandwidth(d *decoder, n node, _ *faultserver.Step, act *faultserver.Bandwidth) {
	one(d, n, &act.Rate)
}

func scalarSlowRead(d *decoder, n node, _ *faultserver.Step, act *faultserver.SlowRead) {
	one(d, n, &act.Every)
}

func scalarExpectContinue(d *decoder, n node, _ *faultserver.Step, act *faultserver.ExpectContinue) {
	one(d, n, &act.Continue)
}

func scalarThrottle(d *decoder, n node, _ *faultserver.Step, act *faultserver.Throttle) {
	one(d, n, &act.Rate)
}

func scalarCapacity(d *decoder, n node, _ *faultserver.Step, act *faultserver.Capacity) {
	one(d, n, &act.Rate)
}

func scalarOutage(d *decoder, n node, _ *faultserver.Step, act *faultserver.Outage) {
	one(d, n, &act.For)
}

func scalarRamp(d *decoder, n node, _ *faultserver.Step, act *faultserver.Ramp) { one(d, n, &act.Over) }

func scalarConnectHang(d *decoder, n node, _ *faultserver.Step, act *faultserver.ConnectHang) {
	one(d, n, &act.For)
}

func scalarTLS(d *decoder, n node, _ *faultserver.Step, act *faultserver.TLS) { one(d, n, &act.What) }

func scalarPoint[A any](d *decoder, n node, step *faultserver.Step, _ *A) { one(d, n, &step.At) }

func scalarStall(d *decoder, n node, step *faultserver.Step, act *faultserver.Stall) {
	if isNumber(n) {
		one(d, n, &act.For)
		return
	}
	one(d, n, &step.At)
}

// readScript reads a list of steps. One line is a whole script, and one item
// of a list may be one, too: `- 503x2`.
func readScript(d *decoder, n node, into *[]faultserver.Step) bool {
	*into = []faultserver.Step{}
	switch n.Kind { //nolint:exhaustive // whatever else it is, it is no script
	case yaml.ScalarNode:
		*into = d.oneLine(n)
	case yaml.SequenceNode:
		if d.tooMany(n, len(n.Content)) {
			return true
		}
		for i, item := range n.Content {
			at := node{item, itemPath(n.path, i)}
			*into = append(*into, d.steps(at)...)
		}
	default:
		d.problem(n, "expected a list of steps, or one line such as 503x2,reset,200; got %s", shown(n.Node))
	}
	if len(*into) > MaxSteps {
		d.problem(n, "a script has at most %d steps; got %d; use times", MaxSteps, len(*into))
	}
	return true
}

// steps reads an item of a script: a step, or several on one line.
func (d *decoder) steps(n node) []faultserver.Step {
	d.places[n.path] = d.place(n.Node)
	if n.Kind == yaml.ScalarNode {
		return d.oneLine(n)
	}
	var step faultserver.Step
	readLoneStep(d, n, &step)
	return []faultserver.Step{step}
}

func (d *decoder) oneLine(n node) []faultserver.Step {
	if isNull(n.Node) {
		d.problem(n, "expected a step, such as succeed or respond: 503; got nothing")
		return nil
	}
	steps, err := faultserver.ParseScript(n.Value)
	if err != nil {
		d.problem(n, "%v", err)
	}
	return steps
}

// readLoneStep reads a mapping of one act and the keys that go with it.
func readLoneStep(d *decoder, n node, into *faultserver.Step) bool {
	var given []string
	d.entries(n, reflect.TypeFor[faultserver.Step](), func(key, value node) {
		i := slices.IndexFunc(d.stepKeys, func(k StepKey) bool { return k.Name == key.Value })
		switch form, built := acts[key.Value]; {
		case i >= 0:
			d.stepKey(value, d.stepKeys[i], into)
		case built:
			given = append(given, key.Value)
			d.act(value, form, into)
		case slices.Contains(faultserver.UnbuiltActs, key.Value):
			given = append(given, key.Value)
			d.places[value.path] = d.place(value.Node)
			into.Act = faultserver.Unbuilt{Name: key.Value}
		default:
			d.unknownStepKey(key)
		}
	})
	if n.Kind == yaml.MappingNode && len(given) != 1 {
		d.acts(n, given)
	}
	return true
}

func (d *decoder) acts(n node, given []string) {
	if len(given) == 0 {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !slices.ContainsFunc(d.stepKeys, func(k StepKey) bool { return k.Name == n.Content[i].Value }) {
				return // the act is the unknown key that was reported
			}
		}
		d.problem(n, "a step needs an act, such as respond: 503; this one has none")
		return
	}
	d.problem(n, "a step has one act; this one has %d: %s", len(given), strings.Join(given, ", "))
}

func (d *decoder) unknownStepKey(key node) {
	var all []string
	for _, k := range d.stepKeys {
		all = append(all, k.Name)
	}
	for name := range acts {
		all = append(all, name)
	}
	all = append(all, faultserver.UnbuiltActs...)
	slices.Sort(all)
	d.suggest(key, key.Value, all, "unknown act or key of a step %q", clipped(key.Value))
}

func (d *decoder) act(n node, form actForm, step *faultserver.Step) {
	value := reflect.New(form.parameters).Elem()
	d.places[n.path] = d.place(n.Node)
	switch {
	case n.Kind == yaml.MappingNode:
		d.mapping(n, value)
	case n.Kind == yaml.ScalarNode && !isNull(n.Node) && form.read != nil:
		var short faultserver.Step
		form.read(d, n, &short, value)
		d.point(n, short.At, step)
	default:
		d.problem(n, "expected %s; got %s", form.written(), shown(n.Node))
	}
	step.Act = value.Interface().(faultserver.Act) //nolint:forcetypeassert // act took a faultserver.Act
}

// point sets a step's point, which stands in at or is the act's value.
func (d *decoder) point(n node, at faultserver.Point, step *faultserver.Step) {
	if at == (faultserver.Point{}) {
		return
	}
	if step.At != (faultserver.Point{}) {
		d.problem(n, "the point is there twice: in at, and as the act's value")
	}
	step.At = at
}

func (f actForm) written() string {
	text := "{}"
	if names := fieldNames(fieldsOf(f.parameters)); len(names) > 0 {
		text = "a mapping with the keys " + strings.Join(names, ", ")
	}
	if f.short != "" {
		text = f.short + ", or " + text
	}
	return text
}

// StepKey is a key of a step besides its act.
type StepKey struct {
	Name string
	// Field is the field of faultserver.Step that it stands for.
	Field reflect.StructField
}

// StepKeys are the keys of a step besides its act, in the order of the fields
// of faultserver.Step.
func StepKeys() []StepKey {
	t := reflect.TypeFor[faultserver.Step]()
	var keys []StepKey
	for i := range t.NumField() {
		if f := t.Field(i); f.Name != "Act" {
			keys = append(keys, StepKey{Name: strings.ToLower(f.Name), Field: f})
		}
	}
	return keys
}

func (d *decoder) stepKey(n node, key StepKey, step *faultserver.Step) {
	switch {
	case key.Name == "times" && isWord(n, "forever"):
		step.Times = faultserver.Forever
	case key.Name == "times":
		before := len(d.problems)
		one(d, n, &step.Times)
		if len(d.problems) == before && (step.Times < 1 || step.Times > MaxRequests) {
			d.problem(n, "expected a number from 1 to %d, or forever; got %s", MaxRequests, shown(n.Node))
		}
	case key.Name == "at":
		var at faultserver.Point
		d.decode(n, reflect.ValueOf(&at).Elem())
		d.point(n, at, step)
	default:
		d.decode(n, reflect.ValueOf(step).Elem().FieldByIndex(key.Field.Index))
		if p := step.Probability; key.Name == "probability" && p != nil && (*p < 0 || *p > 1) {
			d.problem(n, "expected a number from 0 to 1; got %v", *p)
		}
	}
}
