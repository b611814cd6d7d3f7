#!/usr/bin/env bash
# Installs the Debian packages that the clients of suites/clients need, at the version
# of the Debian that this is: the libraries themselves where Debian has them, and what
# runs their drivers. As root it installs what is missing; else it says what is.
set -euo pipefail

packages=(
  curl wget aria2                                  # commands
  python3 python3-urllib3 python3-requests python3-httpx python3-aiohttp python3-tenacity
  php-cli php-curl php-guzzlehttp-guzzle
  ruby ruby-faraday
  openjdk-17-jdk-headless libgoogle-gson-java libokhttp-java libhttpclient-java
  nginx-light haproxy                              # proxies
)
# What need not be Debian's own: any version that is new enough will do.
tools=(go node npm)

if ! command -v dpkg-query >/dev/null; then
  echo "expected Debian, or what is made of it, whose packages the clients are: ${packages[*]}" >&2
  exit 1
fi
missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    printf 'missing, to be installed as root:\n  apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install --yes --no-install-recommends "${missing[@]}"
fi
for tool in "${tools[@]}"; do
  command -v "$tool" >/dev/null || { echo "missing: $tool; install it and run again" >&2; exit 1; }
done
