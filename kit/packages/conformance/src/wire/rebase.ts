import type { Header, WireRequest } from './request';

type Entry = Header;

/**
 * Replaces each part that a request has in common with the default request (`from`) by that part of another request
 * (`to`). The parts that a case tests differ from the default, so they stay. A parameter named `tested` is not added
 * if the request leaves it out.
 */
export function rebase(request: WireRequest, from: WireRequest, to: WireRequest, tested?: string): WireRequest {
  const [current, before, after] = [splitRequest(request), splitRequest(from), splitRequest(to)];
  const [ownPath = '', oldPath = '', newPath = ''] = [current, before, after].map(({ path }) => path.join('/'));
  const segments = current.path.map((segment, index) => (segment === before.path[index] ? after.path[index] : segment));
  // A case may add text to the path segment of an id.
  const path = ownPath.includes(oldPath) ? ownPath.replace(oldPath, () => newPath) : segments.join('/');
  const replaceAll = (location: 'query' | 'headers' | 'cookies'): Entry[] =>
    replaceEntries(current[location], before[location], after[location], tested);
  const query = replaceAll('query').map(([, text]) => text);
  const cookies = replaceAll('cookies').map(([, text]) => text);
  return {
    ...request,
    target: [path, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
    headers: [...replaceAll('headers'), ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : [])],
  };
}

function splitRequest({ target, headers }: WireRequest) {
  const [path = '', query] = target.split(/\?(.*)/s, 2);
  const isCookie = ([name]: Header): boolean => name === 'Cookie';
  const cookies = headers.filter(isCookie).flatMap(([, text]) => text.split('; '));
  const toEntry = (text: string): Entry => [text.split('=', 1)[0] ?? '', text];
  return {
    path: path.split('/'),
    query: (query?.split('&') ?? []).map(toEntry),
    cookies: cookies.map(toEntry),
    headers: headers.filter((header) => !isCookie(header)),
  };
}

function replaceEntries(current: readonly Entry[], from: readonly Entry[], to: readonly Entry[], tested = ''): Entry[] {
  const namesOf = (entries: readonly Entry[]): Set<string> => new Set(entries.map(([name]) => name));
  const [defaultNames, ownNames] = [namesOf(from), namesOf(current)];
  const replacedEntries = current.flatMap((entry): readonly Entry[] => {
    const [name, text] = entry;
    const sameNameEntries = from.filter((candidate) => candidate[0] === name);
    const index = sameNameEntries.findIndex((candidate) => candidate[1] === text);
    return index < 0 ? [entry] : to.filter((candidate) => candidate[0] === name).slice(index, index + 1);
  });
  const addedEntries = to.filter(([name]) => !defaultNames.has(name) && !ownNames.has(name) && name !== tested);
  return [...replacedEntries, ...addedEntries];
}
