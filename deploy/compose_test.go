package deploy

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

const composeFile = "compose/compose.yaml"

// loadCompose loads a compose file as Compose does: against its schema, and with
// what its parts say of each other.
func loadCompose(ctx context.Context, content []byte) (*types.Project, error) {
	return loader.LoadWithContext(ctx, types.ConfigDetails{
		WorkingDir:  "compose",
		ConfigFiles: []types.ConfigFile{{Filename: composeFile, Content: content}},
	})
}

func shippedCompose(t *testing.T) (*types.Project, string) {
	t.Helper()
	content, err := os.ReadFile(composeFile)
	if err != nil {
		t.Fatal(err)
	}
	project, err := loadCompose(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	return project, string(content)
}

func TestTheComposeFileIsOne(t *testing.T) {
	t.Parallel()
	project, content := shippedCompose(t)
	server, shop := project.Services["faultsrv"], project.Services["shop"]
	for name, service := range project.Services {
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is published on %q; expected this machine alone", name, port.Published, port.HostIP)
			}
		}
	}
	token := project.Secrets["control-token"]
	if token.File == "" || !slices.Contains(values(server.Command, "control-token-file"), "/run/secrets/control-token") {
		t.Errorf("the token is %+v, and the server reads %q", token, values(server.Command, "control-token-file"))
	}
	if base, upstream := values(server.Command, "advertise-url"), *shop.Environment["PAYMENTS_URL"]; len(base) != 1 || !strings.HasPrefix(upstream, base[0]+"/s/") {
		t.Errorf("the shop calls %s; expected a session of %q", upstream, base)
	}
	if server.HealthCheck == nil || shop.DependsOn["faultsrv"].Condition != types.ServiceConditionHealthy {
		t.Error("expected the shop to wait until the server is ready")
	}

	for right, wrong := range map[string]string{
		"depends_on:": "depend_on:", "read_only: true": "read_only: maybe", "secrets: [control-token]": "secrets: [token]", "      faultsrv: {condition": "      server: {condition",
	} {
		broken := strings.Replace(content, right, wrong, 1)
		if broken == content {
			t.Fatalf("the compose file has no %q to break", right)
		}
		if _, err := loadCompose(t.Context(), []byte(broken)); err == nil {
			t.Errorf("%s: expected it to be refused", wrong)
		}
	}
}
