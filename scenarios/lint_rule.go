package scenarios

func ruleRules() []Rule      { return nil }
func idRules() []Rule        { return nil }
func judgementRules() []Rule { return nil }
func serverRules() []Rule    { return nil }
func timeRules() []Rule      { return nil }
