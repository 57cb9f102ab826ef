// Formats a request as a shell command: curl if it can send the request, or else a socket, which may need bash.
import { isUtf8 } from 'node:buffer';
import { prefixOf, toFramedBody, toHead, toLastChunk, type WireRequest } from './request';
import { toBashWord } from './secret';

type Variables = Readonly<Record<string, string>>;

/** Refers to secrets by environment variables, and never contains the secrets themselves. */
export function toCurl(request: WireRequest, base: URL, variables: Variables): string {
  if (!canCurlSend(request)) return toSocketCommand(request, base, variables);
  const { method, body, framing } = request;
  const url = `${base.origin}${prefixOf(request, base)}${request.target}`;
  const headers = request.headers
    .map(([name, value]) => ` -H ${toBashWord(`${name}: ${value}`, variables, quoteWord)}`)
    .join('');
  const methodOption = method === 'HEAD' ? '-I' : `-X ${method}`;
  const chunkedOption = framing === 'chunked' ? " -H 'Transfer-Encoding: chunked'" : '';
  // curl would add a Content-Type of its own.
  const lacksContentType = body && !headers.toLowerCase().includes('content-type:');
  const contentTypeOption = lacksContentType ? " -H 'Content-Type:'" : '';
  // curl must not change the brackets (-g) and dots (--path-as-is) in the URL.
  const options = `-i -g --path-as-is ${methodOption} ${toBashWord(url, variables, quoteWord)}`;
  const command = `curl ${options}${headers}${contentTypeOption}${chunkedOption}`;
  if (!body) return command;
  const text = toFramedBody({ ...request, framing: 'length' }).toString('latin1');
  return text.length <= MAX_ARGUMENT_LENGTH && isPrintable(text) && !text.startsWith('@')
    ? `${command} --data-binary ${quoteWord(text) || "''"}`
    : `${groupCommands(printfCommands(text, quoteFormat))} | ${command} --data-binary @-`;
}

// curl cannot send empty headers, trailers or a malformed head, or half-close the connection.
function canCurlSend({ changeHead, isHalfClosed, trailers, headers }: WireRequest): boolean {
  const hasEmptyHeader = headers.some(([, value]) => value === '');
  return !changeHead && isHalfClosed !== true && !trailers && !hasEmptyHeader;
}

function toSocketCommand(request: WireRequest, base: URL, variables: Variables): string {
  const { protocol, hostname } = base;
  const port = base.port === '' ? (protocol === 'https:' ? '443' : '80') : base.port;
  const host = hostname.replace(/^\[|\]$/g, '');
  // Secrets occur only in heads and trailers, which are printed with `%s`, so that the shell can insert them.
  const quoteWithSecrets = (text: string): string =>
    `%s ${toBashWord(text, variables, (plain) => `$${quoteFormat(plain)}`)}`;
  const commands = [
    ...printfCommands(toHead(request, base), quoteWithSecrets),
    ...printfCommands(toFramedBody(request).toString('latin1'), quoteFormat),
    ...printfCommands(toLastChunk(request), quoteWithSecrets),
  ];
  if (protocol === 'https:')
    return `${groupCommands(commands)} | openssl s_client -quiet -connect ${hostname}:${port} #needs-bash`;
  // bash cannot half-close a socket, but nc can.
  if (request.isHalfClosed === true) return `${groupCommands(commands)} | nc -N ${host} ${port} #needs-bash`;
  return `( exec 3<>/dev/tcp/${host}/${port}; ${groupCommands(commands)} >&3; cat <&3 ) #needs-bash`;
}

// The longest body to pass as an argument. One that begins with @ is piped, since curl would send a file.
const MAX_ARGUMENT_LENGTH = 2_000;

// Matches NUL, and long repetitions, which are shortened.
const NUL_OR_REPETITION = /\0|([^]{1,8}?)\1{99,}/g;

// A repetition becomes `printf 'ab%.0s' $(seq 100)`: printf repeats the format for each number, which %.0s hides.
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

// Uses octal escapes, since POSIX has no others for bytes. Also escapes a leading hyphen, which would begin an option.
function quoteFormat(latin1: string, end = ''): string {
  const toOctal = (character: string): string => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `'${latin1.replace(/[^ -~]|['"\\%]|^-/g, toOctal)}${end}'`;
}

// Whether the text is UTF-8 with only characters that shells and terminals leave unchanged.
function isPrintable(latin1: string): boolean {
  const bytes = Buffer.from(latin1, 'latin1');
  return isUtf8(bytes) && /^[ \p{L}\p{M}\p{N}\p{P}\p{S}]*$/u.test(bytes.toString());
}

/** Quotes printable text as it is, and lets `printf` write other bytes. */
function quoteWord(latin1: string): string {
  if (latin1 === '') return '';
  if (!isPrintable(latin1)) return `"$(printf ${quoteFormat(latin1)})"`;
  return `'${Buffer.from(latin1, 'latin1')
    .toString()
    .replaceAll("'", String.raw`'\''`)}'`;
}
