// Writes a request as a line for a POSIX shell: with curl where curl can send it, or else through a socket, which may need bash.
import { isUtf8 } from 'node:buffer';
import { prefixOf, toFramedBody, toHead, toLastChunk, type WireRequest } from './request';
import { toBashWord } from './secret';

type Variables = Readonly<Record<string, string>>;

/** Names the environment variables of secrets, never the secrets. */
export function toCurl(request: WireRequest, base: URL, variables: Variables): string {
  if (!canCurlSend(request)) return toSocketCommand(request, base, variables);
  const { method, body, framing } = request;
  const url = `${base.origin}${prefixOf(request, base)}${request.target}`;
  const headers = request.headers
    .map(([name, value]) => ` -H ${toBashWord(`${name}: ${value}`, variables, quoteWord)}`)
    .join('');
  const methodOption = method === 'HEAD' ? '-I' : `-X ${method}`;
  const chunked = framing === 'chunked' ? " -H 'Transfer-Encoding: chunked'" : '';
  // curl would add a Content-Type of its own.
  const hasNoType = body && !headers.toLowerCase().includes('content-type:');
  const withoutType = hasNoType ? " -H 'Content-Type:'" : '';
  // curl must not change the brackets (-g) and dots (--path-as-is) of the URL.
  const options = `-i -g --path-as-is ${methodOption} ${toBashWord(url, variables, quoteWord)}`;
  const line = `curl ${options}${headers}${withoutType}${chunked}`;
  if (!body) return line;
  const text = toFramedBody({ ...request, framing: 'length' }).toString('latin1');
  return text.length <= MAX_ARGUMENT && isPrintable(text) && !text.startsWith('@')
    ? `${line} --data-binary ${quoteWord(text) || "''"}`
    : `${groupCommands(printfCommands(text, quoteFormat))} | ${line} --data-binary @-`;
}

// curl cannot send empty headers, trailers, a connection cut short, or a malformed head.
function canCurlSend({ changeHead, isHalfClosed, trailers, headers }: WireRequest): boolean {
  const hasEmptyHeader = headers.some(([, value]) => value === '');
  return !changeHead && isHalfClosed !== true && !trailers && !hasEmptyHeader;
}

// Prints the request into a connection of openssl, nc, or bash itself.
function toSocketCommand(request: WireRequest, base: URL, variables: Variables): string {
  const { protocol, hostname } = base;
  const port = base.port === '' ? (protocol === 'https:' ? '443' : '80') : base.port;
  const host = hostname.replace(/^\[|\]$/g, '');
  // Only heads and trailers contain secrets, which `printf %s` prints.
  const quoteWithSecrets = (text: string): string =>
    `%s ${toBashWord(text, variables, (plain) => `$${quoteFormat(plain)}`)}`;
  const commands = [
    ...printfCommands(toHead(request, base), quoteWithSecrets),
    ...printfCommands(toFramedBody(request).toString('latin1'), quoteFormat),
    ...printfCommands(toLastChunk(request), quoteWithSecrets),
  ];
  if (protocol === 'https:')
    return `${groupCommands(commands)} | openssl s_client -quiet -connect ${hostname}:${port} #needs-bash`;
  // The sockets of bash cannot be half-closed, but nc can.
  if (request.isHalfClosed === true) return `${groupCommands(commands)} | nc -N ${host} ${port} #needs-bash`;
  return `( exec 3<>/dev/tcp/${host}/${port}; ${groupCommands(commands)} >&3; cat <&3 ) #needs-bash`;
}

// People can read a short argument. Of one that begins with @, curl would send a file.
const MAX_ARGUMENT = 2_000;

// NUL, and long repetitions, which are shortened.
const NUL_OR_REPETITION = /\0|([^]{1,8}?)\1{99,}/g;

// A repetition becomes `printf 'ab%.0s' $(seq 100)`: the shell repeats the format for each number, which %.0s hides.
function printfCommands(latin1: string, quote: (text: string) => string): string[] {
  const commands: string[] = [];
  let printedTo = 0;
  for (const match of latin1.matchAll(NUL_OR_REPETITION)) {
    const [repetition, unit = repetition] = match;
    if (match.index > printedTo) commands.push(`printf ${quote(latin1.slice(printedTo, match.index))}`);
    const times = repetition.length / unit.length;
    commands.push(`printf ${quoteFormat(unit, '%.0s')} $(seq ${String(times)})`);
    printedTo = match.index + repetition.length;
  }
  return printedTo < latin1.length ? [...commands, `printf ${quote(latin1.slice(printedTo))}`] : commands;
}

function groupCommands(commands: readonly string[]): string {
  return commands.length === 1 ? String(commands[0]) : `{ ${commands.join('; ')}; }`;
}

// Octal escapes: POSIX has no others for bytes. No `printf` takes a hyphen for an option then.
function quoteFormat(latin1: string, end = ''): string {
  const toOctal = (sign: string): string => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `'${latin1.replace(/[^ -~]|['"\\%]|^-/g, toOctal)}${end}'`;
}

// A shell and a terminal keep these signs as they are.
function isPrintable(latin1: string): boolean {
  const bytes = Buffer.from(latin1, 'latin1');
  return isUtf8(bytes) && /^[ \p{L}\p{M}\p{N}\p{P}\p{S}]*$/u.test(bytes.toString());
}

/** Quotes bytes that are UTF-8 as they are, and lets `printf` write others. */
function quoteWord(latin1: string): string {
  if (latin1 === '') return '';
  if (!isPrintable(latin1)) return `"$(printf ${quoteFormat(latin1)})"`;
  return `'${Buffer.from(latin1, 'latin1')
    .toString()
    .replaceAll("'", String.raw`'\''`)}'`;
}
