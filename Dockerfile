# The command alone, on an empty base:
#
#   docker build --build-arg VERSION="$(git describe --tags --always)" --tag faultsrv .
#   docker run --rm --publish 127.0.0.1:8503:8503 faultsrv serve --listen 0.0.0.0:8503 --allow-remote --script 503x2,200

FROM --platform=$BUILDPLATFORM golang:1-trixie AS build
WORKDIR /src
# What changes least comes first, so that it is kept between two builds.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unknown
ARG TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/faultsrv ./cmd/faultsrv
# A folder to write journals and reports to, and one for temporary files: an empty base has neither.
RUN mkdir -p /out/work /out/tmp

FROM scratch
COPY --from=build --chown=65532:65532 /out/work /work
COPY --from=build --chown=65532:65532 /out/tmp /tmp
COPY --from=build /out/faultsrv /usr/bin/faultsrv
# By number: there is no list of users, and Kubernetes asks for one that it can see is not root.
USER 65532:65532
WORKDIR /work
# Clients under test, and the control API.
EXPOSE 8503 8504
ENTRYPOINT ["/usr/bin/faultsrv"]
CMD ["serve", "--help"]
