<?php

/*
 * What the PHP drivers share: the protocol of docs/protocol.md.
 *
 * A driver has a class of Client and ends with
 *
 *     Faultsrv\serve($hello, Client::class);
 *
 * PHP has one thread, so that a driver runs as many calls as there are by turns:
 * a Client starts a call, and is given time by tick() until it has called back.
 */

declare(strict_types=1);

namespace Faultsrv;

ini_set('display_errors', 'stderr'); // standard output is for messages alone

/** The library has no setting for this. */
final class Unsupported extends \RuntimeException
{
}

/** A client with a policy, as the protocol words it. */
interface Client
{
    /**
     * @param ?string $caFile the authorities that it trusts
     * @throws Unsupported for a policy that the library has no setting for
     */
    public function __construct(array $policy, ?string $caFile);

    /**
     * Starts a call, and has $done called with its result.
     *
     * @param array $call the message run
     * @return callable cancels the call
     * @throws Unsupported for a call that the library cannot make
     */
    public function start(array $call, callable $done): callable;

    /** Does what there is to do, without waiting. */
    public function tick(): void;

    public function close(): void;
}

/** The result of a call that got an answer, which was read to its end. */
function answered(int $status, array $headers, string $body): array
{
    return [
        'outcome' => 'response',
        'status' => $status,
        'headers' => $headers,
        'body_sha256' => hash('sha256', $body),
        'body_length' => strlen($body),
    ];
}

/** The result of a call that ended in an error. */
function failed(string $kind, \Throwable $error): array
{
    return ['outcome' => 'error', 'error' => ['kind' => $kind, 'message' => $error::class . ': ' . $error->getMessage()]];
}

/** The bytes of a body, or for a stream a generator, which nobody can rewind; null for none. */
function bodyOf(array $call): string|\Generator|null
{
    if (!isset($call['body'])) {
        return null;
    }
    return $call['body']['stream'] ? pieces($call['body']['file']) : file_get_contents($call['body']['file']);
}

function pieces(string $file): \Generator
{
    $source = fopen($file, 'rb');
    while (($piece = fread($source, 16 * 1024)) !== '' && $piece !== false) {
        yield $piece;
    }
    fclose($source);
}

/** Answers the messages on standard input until it ends. */
function serve(array $hello, string $clientClass): void
{
    (new Driver($clientClass))->run(['type' => 'hello', 'protocol' => 1] + $hello);
}

final class Driver
{
    /** While calls run, input is looked for this often, in microseconds. */
    private const TURN = 1000;

    /** @var array<int, Client> */
    private array $clients = [];

    /** @var array<int, callable> what cancels a call, by its number */
    private array $cancels = [];

    /** @var array<int, array<int, true>> the numbers of the calls that run, by their client's */
    private array $running = [];

    private string $input = '';

    public function __construct(private string $clientClass)
    {
    }

    public function run(array $hello): void
    {
        stream_set_blocking(STDIN, false);
        $this->send($hello);
        while ($this->read()) {
            foreach (array_keys($this->running) as $client) {
                $this->clients[$client]->tick();
            }
        }
    }

    /** Handles what has come, and tells whether there is more to come. */
    private function read(): bool
    {
        $ready = [STDIN];
        $none = null;
        $idle = $this->running === [];
        stream_select($ready, $none, $none, $idle ? null : 0, $idle ? null : self::TURN);
        $this->input .= stream_get_contents(STDIN);
        while (($end = strpos($this->input, "\n")) !== false) {
            $message = json_decode(substr($this->input, 0, $end), true, flags: JSON_THROW_ON_ERROR);
            $this->input = substr($this->input, $end + 1);
            match ($message['type']) {
                'open' => $this->open($message),
                'run' => $this->start($message),
                'cancel' => ($this->cancels[$message['seq']] ?? static fn () => null)(),
                'close' => $this->close($message['client']),
            };
        }
        return !feof(STDIN);
    }

    private function send(array $message): void
    {
        $line = json_encode($message, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
        fwrite(STDOUT, $line . "\n");
    }

    private function open(array $message): void
    {
        $opened = ['type' => 'opened', 'client' => $message['client']];
        try {
            $this->clients[$message['client']] = new $this->clientClass($message['policy'], $message['ca_file'] ?? null);
        } catch (Unsupported $missing) {
            $opened['unsupported'] = $missing->getMessage();
        }
        $this->send($opened);
    }

    private function start(array $call): void
    {
        ['seq' => $seq, 'client' => $client] = $call;
        $started = hrtime(true);
        $done = function (array $result) use ($seq, $client, $started): void {
            unset($this->running[$client][$seq], $this->cancels[$seq]);
            $this->send(['type' => 'result', 'seq' => $seq] + $result + ['elapsed_ms' => (hrtime(true) - $started) / 1e6]);
        };
        $this->running[$client][$seq] = true;
        try {
            $cancel = $this->clients[$client]->start($call, $done);
        } catch (Unsupported $missing) {
            $done(['outcome' => 'unsupported', 'reason' => $missing->getMessage()]);
            return;
        }
        if (isset($this->running[$client][$seq])) {
            $this->cancels[$seq] = $cancel;
        }
    }

    private function close(int $client): void
    {
        $this->clients[$client]->close();
        unset($this->clients[$client], $this->running[$client]);
        $this->send(['type' => 'closed', 'client' => $client]);
    }
}
