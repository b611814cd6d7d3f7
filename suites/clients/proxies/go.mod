module github.com/faultsrv/faultsrv/suites/clients/proxies

go 1.26.0

require github.com/faultsrv/faultsrv/suites/clients/go v0.0.0

replace github.com/faultsrv/faultsrv/suites/clients/go => ../go
