import { titleOf, type Case } from '@contract-kit/conformance';

/** A request on which express-openapi-validator and the kit differ. */
export interface Difference {
  readonly case: Case;
  /** Which of them accepts it. */
  readonly acceptedBy: 'validator' | 'kit';
}

interface Kind extends Pick<Difference, 'acceptedBy'> {
  readonly class?: Case['class'];
  readonly label: RegExp;
}

/** Texts of parameters of which only `Number()` makes a number. */
export const WRITTEN_LENIENTLY = /, written "(?:\+1|01|1\.|0x1|0b1|Infinity|\s*1\s*|1\\n)"$/;

/**
 * What express-openapi-validator, or Express and node:http round it, are known to do otherwise. What is its own has the
 * same name in packages/server/src/contract/eov/README.md.
 */
export const DIFFERENCES: Readonly<Record<string, Kind>> = {
  'an int64 is not checked': {
    acceptedBy: 'validator',
    label: /\bint64 (?:minimum-1|maximum\+1)$|far beyond, |type integer, 9223372036854775807\.5$/,
  },
  'bytes that are no UTF-8 become U+FFFD': {
    acceptedBy: 'validator',
    class: 'malformed',
    label: /^(?:UTF-8: .*|Latin-1)$/,
  },
  'an unpaired surrogate is Unicode text': {
    acceptedBy: 'validator',
    class: 'malformed',
    label: /\bsurrogates?\b/,
  },
  'a byte order mark is skipped': { acceptedBy: 'validator', class: 'malformed', label: /^a byte order mark$/ },
  'two Host or Authorization headers pass': {
    acceptedBy: 'validator',
    label: /^(?:two Hosts \(.*\)|the Host twice|the header twice|the right header and a wrong one)(?:, beside |$)/,
  },
  'a Host that is none and a request line without a version pass': {
    acceptedBy: 'validator',
    class: 'malformed',
    label: /^(?:a Host that is none \(.*\)|no version)$/,
  },
  'chunks of HTTP/1.0 are read': { acceptedBy: 'validator', class: 'malformed', label: /^chunks of HTTP\/1\.0 / },
  'a Content-Type that is malformed, of another charset or there twice passes': {
    acceptedBy: 'validator',
    class: 'media',
    label: /^the type \S+; (?:charset|=1|charset=.*)$|^the type twice$|^two types$/,
  },
  'a compressed body is decompressed': { acceptedBy: 'validator', class: 'media', label: /^the coding gzip$/ },
  'a scheme that only contains `bearer` passes for it': {
    acceptedBy: 'validator',
    class: 'auth',
    // The token of a stand-in contains the word, too.
    label: /^(?:a scheme that (?:ends in|begins with) the right one|(?:no|another|an unknown) scheme)(?:, beside |$)/,
  },
  'a path passes in another case and with a slash at its end': {
    acceptedBy: 'validator',
    class: 'path',
    // A parameter of one sign less leaves a slash.
    label: /^(?:a slash at the end|a sign less|upper case)$/,
  },
  'a query parameter behind 1,000 others is not seen': {
    acceptedBy: 'validator',
    class: 'parameter',
    label: /, behind 1,100 ampersands$/,
  },
  'a path with an encoded letter is 404': { acceptedBy: 'kit', class: 'path', label: /^a letter encoded/ },
  'a target in absolute form is 404': {
    acceptedBy: 'kit',
    class: 'path',
    label: /^behind the same target in absolute form/,
  },
};

/** What only a contract with more than one body shows. */
export const MORE_DIFFERENCES: Readonly<Record<string, Kind>> = {
  'a number in a parameter is whatever `Number()` reads': {
    acceptedBy: 'validator',
    class: 'parameter',
    label: WRITTEN_LENIENTLY,
  },
  'a date may have a month 13 or a 30th of February': {
    acceptedBy: 'validator',
    label: /format date, "2024-\d\d-\d\d"$/,
  },
};

/** The name of a difference; undefined where it is not known. */
export function nameOf({ case: one, acceptedBy }: Difference): string | undefined {
  const [name] =
    Object.entries({ ...DIFFERENCES, ...MORE_DIFFERENCES }).find(
      ([, kind]) =>
        kind.acceptedBy === acceptedBy && (kind.class ?? one.class) === one.class && kind.label.test(one.label),
    ) ?? [];
  return name;
}

export function describeDifference({ case: one, acceptedBy }: Difference): string {
  return `accepted by the ${acceptedBy} alone: ${titleOf(one)}`;
}
