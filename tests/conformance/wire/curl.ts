import { SECRET, toBytes, type WireRequest } from './request';

const MAX_BODY = 1_000;

/** A line for a shell that sends the same request. Secrets stay names of environment variables. */
export function toCurl(request: WireRequest, base: URL, names: Readonly<Record<string, string>>): string {
  const url = `${base.origin}${base.pathname.replace(/\/$/, '')}${request.target}`;
  const hidden = Object.fromEntries(Object.keys(names).map((name) => [name, `\${${name}}`]));
  if (request.bend || request.isCut || request.headers.some(([, value]) => value === '')) {
    const bytes = cut(toBytes(request, base, hidden));
    const port = base.port || (base.protocol === 'https:' ? '443' : '80');
    const reader =
      base.protocol === 'https:'
        ? `openssl s_client -quiet -connect ${base.hostname}:${port}`
        : `nc ${base.hostname} ${port}`;
    return `printf %s ${quote(bytes.toString('latin1'), names)} | ${reader}`;
  }
  const headers = request.headers.map(([name, value]) => ` -H ${quote(`${name}: ${value}`, names)}`).join('');
  const chunked = request.framing === 'chunked' ? " -H 'Transfer-Encoding: chunked'" : '';
  const body = request.body ? ` --data-binary ${quote(cut(request.body).toString('latin1'), {})}` : '';
  const type = request.body && !headers.toLowerCase().includes('content-type:') ? " -H 'Content-Type:'" : '';
  return `curl -i -g --path-as-is -X ${request.method} ${quote(url, names)}${headers}${type}${chunked}${body}`;
}

function cut(bytes: Buffer): Buffer {
  const note = `... (${String(bytes.length)} bytes in all)`;
  return bytes.length > MAX_BODY ? Buffer.concat([bytes.subarray(0, MAX_BODY), Buffer.from(note)]) : bytes;
}

// Of bash: '...', $'...' where there is more than plain text, "${NAME}" for a secret.
function quote(text: string, names: Readonly<Record<string, string>>): string {
  const parts: string[] = [];
  let at = 0;
  for (const match of text.matchAll(SECRET)) {
    const [all, name = '', change = ''] = match;
    if (names[name] === undefined) continue;
    parts.push(quotePlain(text.slice(at, match.index)), shellSecret(names[name], change));
    at = match.index + all.length;
  }
  return [...parts, quotePlain(text.slice(at))].join('') || "''";
}

function shellSecret(variable: string, change: string): string {
  if (change === '@base64') return `"$(printf %s "$${variable}" | base64 -w0)"`;
  return `"\${${variable}${change === '@uri' ? '' : change}}"`;
}

function quotePlain(text: string): string {
  if (text === '') return '';
  if (/^[ -&(-~]*$/.test(text)) return `'${text}'`;
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/[^ -~]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `$'${escaped}'`;
}
