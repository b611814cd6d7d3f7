<?php

/*
 * A driver that has Guzzle judged, with its own retry middleware.
 *
 * What a policy says becomes these settings:
 *
 *     attempts, methods, statuses   the decider of Middleware::retry, which also retries lost connections and
 *                                   timeouts, and no certificate that is not trusted
 *     backoff                       the delay of Middleware::retry; without jitter
 *     timeouts.attempt_ms           the request options timeout and connect_timeout, which are each attempt's
 *     cancel                        cancel() of the promise
 *     ca_file                       the request option verify
 *
 * Answers with a status of 400 and above are answers here, and no exceptions
 * (http_errors). Calls run side by side by curl_multi, whose handler each client
 * has to itself, and with it the connections.
 *
 * Not among the capabilities is timeout: Guzzle has no deadline of a call that
 * spans its retries.
 */

declare(strict_types=1);

require_once 'GuzzleHttp/autoload.php';
require_once __DIR__ . '/../kit.php';

use GuzzleHttp\Client as Guzzle;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\Exception\RequestException;
use GuzzleHttp\Handler\CurlMultiHandler;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;
use GuzzleHttp\Promise\CancellationException;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

final class Client implements Faultsrv\Client
{
    /** What curl's codes stand for; see CURLE_… in libcurl-errors(3). */
    private const KINDS = [
        CURLE_COULDNT_CONNECT => 'connect',
        CURLE_SSL_CONNECT_ERROR => 'connect',
        CURLE_OPERATION_TIMEDOUT => 'timeout',
        CURLE_GOT_NOTHING => 'reset',
        CURLE_SEND_ERROR => 'reset',
        CURLE_RECV_ERROR => 'reset',
        CURLE_PARTIAL_FILE => 'truncated',
        CURLE_UNSUPPORTED_PROTOCOL => 'protocol',
        8 => 'protocol', // CURLE_WEIRD_SERVER_REPLY, for which PHP has another name
    ];

    private const RETRIED = ['connect', 'timeout', 'reset', 'truncated'];

    private CurlMultiHandler $curl;
    private Guzzle $client;

    public function __construct(array $policy, ?string $caFile)
    {
        $stack = HandlerStack::create($this->curl = new CurlMultiHandler(['select_timeout' => 0]));
        $stack->push(Middleware::retry(self::decider($policy), self::delay($policy['backoff'])));
        $attempt = ($policy['timeouts']['attempt_ms'] ?? 0) / 1000; // 0: none
        $this->client = new Guzzle([
            'handler' => $stack,
            'http_errors' => false,
            'proxy' => '',
            'timeout' => $attempt,
            'connect_timeout' => $attempt,
            'verify' => $caFile ?? true,
        ]);
    }

    private static function decider(array $policy): callable
    {
        return static fn (
            int $retries,
            RequestInterface $request,
            ?ResponseInterface $response,
            ?Throwable $failure
        ): bool => $retries < $policy['attempts'] - 1
            && in_array($request->getMethod(), $policy['methods'], true)
            && ($failure
                ? in_array(self::kind($failure), self::RETRIED, true)
                : in_array($response->getStatusCode(), $policy['statuses'], true));
    }

    /** The pause before a retry, in milliseconds; 1 is the first. */
    private static function delay(array $backoff): callable
    {
        if ($backoff['jitter'] !== 'none') {
            throw new Faultsrv\Unsupported('Guzzle has no backoff with jitter');
        }
        $pause = match ($backoff['kind']) {
            'constant' => static fn (int $retry): float => $backoff['base_ms'],
            'linear' => static fn (int $retry): float => $backoff['base_ms'] * $retry,
            'exponential' => static fn (int $retry): float => $backoff['base_ms'] * $backoff['factor'] ** ($retry - 1),
        };
        return static fn (int $retry): int => (int) ceil(min($pause($retry), $backoff['max_ms'] ?? PHP_INT_MAX));
    }

    public function start(array $call, callable $done): callable
    {
        $headers = [];
        foreach ($call['headers'] as [$name, $value]) {
            $headers[$name][] = $value;
        }
        $options = ['headers' => $headers];
        if (($body = Faultsrv\bodyOf($call)) !== null) {
            $options['body'] = $body;
        }
        $promise = $this->client->requestAsync($call['method'], $call['url'], $options);
        $promise->then(
            static fn (ResponseInterface $response) => $done(Faultsrv\answered(
                $response->getStatusCode(),
                self::pairs($response->getHeaders()),
                (string) $response->getBody(),
            )),
            static fn (Throwable $failure) => $done(Faultsrv\failed(self::kind($failure), $failure)),
        );
        return $promise->cancel(...);
    }

    private static function pairs(array $headers): array
    {
        $pairs = [];
        foreach ($headers as $name => $values) {
            foreach ($values as $value) {
                $pairs[] = [$name, $value];
            }
        }
        return $pairs;
    }

    private static function kind(Throwable $failure): string
    {
        return match (true) {
            $failure instanceof CancellationException => 'canceled',
            $failure instanceof ConnectException, $failure instanceof RequestException =>
                self::KINDS[$failure->getHandlerContext()['errno'] ?? 0] ?? 'other',
            default => 'other',
        };
    }

    public function tick(): void
    {
        $this->curl->tick();
    }

    public function close(): void
    {
        unset($this->client, $this->curl);
    }
}

/** The version of Debian's package; Guzzle itself tells its major version alone. */
function version(): string
{
    exec("dpkg-query --show --showformat='\${Version}' php-guzzlehttp-guzzle 2>/dev/null", $lines, $status);
    return $status === 0 ? $lines[0] : (string) GuzzleHttp\ClientInterface::MAJOR_VERSION;
}

Faultsrv\serve([
    'client' => [
        'name' => 'guzzle',
        'version' => version() . ' on curl ' . curl_version()['version'],
        'language' => 'PHP ' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.' . PHP_RELEASE_VERSION,
    ],
    'capabilities' => [
        'retry', 'attempts', 'backoff', 'attempt-timeout', 'method', 'headers', 'request-body', 'streamed-body',
        'cancel', 'shared', 'parallel', 'status', 'error-kind', 'response-body', 'tls',
    ],
], Client::class);
