// Writes a request as a curl line.
import { toEnd, toFramed, toHead, type WireRequest } from './request';
import { toBash } from './secret';

type Variables = Readonly<Record<string, string>>;

/**
 * A line for bash that sends the same request.
 *
 * @param variables the environment variable with the secret of each security scheme
 * @param before what goes before it on the same connection
 */
export function toCurl(request: WireRequest, base: URL, variables: Variables, before?: WireRequest): string {
  const { body, bend, isCut, framing, trailers } = request;
  // curl cannot send empty headers, trailers or malformed requests.
  if (bend || isCut === true || trailers || before || request.headers.some(([, value]) => value === ''))
    return toSocketCommand(before ? [before, request] : [request], base, variables);
  const url = `${base.origin}${base.pathname.replace(/\/$/, '')}${request.target}`;
  const headers = request.headers
    .map(([name, value]) => ` -H ${toBash(`${name}: ${value}`, variables, quoteWord)}`)
    .join('');
  const method = request.method === 'HEAD' ? '-I' : `-X ${request.method}`;
  const chunked = framing === 'chunked' ? " -H 'Transfer-Encoding: chunked'" : '';
  const type = body && !headers.toLowerCase().includes('content-type:') ? " -H 'Content-Type:'" : '';
  const line = `curl -i -g --path-as-is ${method} ${toBash(url, variables, quoteWord)}${headers}${type}${chunked}`;
  if (!body) return line;
  const text = body.toString('latin1');
  return isPlain(text)
    ? `${line} --data-binary ${quoteWord(text)}`
    : `${groupCommands(printfCommands(text, (part) => `'${escapeFormat(part)}'`))} | ${line} --data-binary @-`;
}

function toSocketCommand(requests: readonly WireRequest[], base: URL, variables: Variables): string {
  const { protocol, port, hostname } = base;
  const number = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const host = hostname.replace(/^\[|\]$/g, '');
  const withSecrets = (text: string): string => `%s ${toBash(text, variables, quoteWord)}`;
  const commands = requests.flatMap((request) => [
    ...printfCommands(toHead(request, base), withSecrets),
    ...printfCommands(toFramed(request).toString('latin1'), (text) => `'${escapeFormat(text)}'`),
    ...printfCommands(toEnd(request), withSecrets),
  ]);
  if (protocol === 'https:')
    return `${groupCommands(commands)} | openssl s_client -quiet -connect ${hostname}:${number}`;
  // The sockets of bash cannot be half-closed, but nc can.
  if (requests.some(({ isCut }) => isCut === true)) return `${groupCommands(commands)} | nc -N ${host} ${number}`;
  return `( exec 3<>/dev/tcp/${host}/${number}; ${groupCommands(commands)} >&3; cat <&3 )`;
}

const MAX_PLAIN = 2_000;

function isPlain(text: string): boolean {
  return text.length <= MAX_PLAIN && !text.includes('\0');
}

// NUL, which no word of bash can hold, and long repetitions, which are shortened.
const SPECIAL = /\0|([^]{1,8}?)\1{99,}/g;

/** printf commands for any bytes. */
function printfCommands(text: string, write: (plain: string) => string): string[] {
  const commands: string[] = [];
  let at = 0;
  for (const match of text.matchAll(SPECIAL)) {
    const [all, unit = all] = match;
    if (match.index > at) commands.push(`printf ${write(text.slice(at, match.index))}`);
    commands.push(`printf '${escapeFormat(unit)}%.0s' $(seq ${String(all.length / unit.length)})`);
    at = match.index + all.length;
  }
  return at < text.length ? [...commands, `printf ${write(text.slice(at))}`] : commands;
}

function groupCommands(commands: readonly string[]): string {
  return commands.length === 1 ? String(commands[0]) : `{ ${commands.join('; ')}; }`;
}

// Escapes text for a printf format.
function escapeFormat(text: string): string {
  return text.replace(/[^ -~]|['\\%]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Quotes a word of bash: '...', or $'...' for special characters. */
function quoteWord(text: string): string {
  if (text === '') return '';
  if (/^[ -&(-~]*$/.test(text)) return `'${text}'`;
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/[^ -~]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `$'${escaped}'`;
}
