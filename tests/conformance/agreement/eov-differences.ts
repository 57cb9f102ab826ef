import type { Case } from '../case';

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

/**
 * What express-openapi-validator, or an Express application round it, is known to do otherwise, by the names that it has
 * in src/contract/eov/README.md.
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
  'a byte order mark is skipped': { acceptedBy: 'validator', class: 'malformed', label: /^a byte order mark$/ },
  'two Host or Authorization headers pass': {
    acceptedBy: 'validator',
    label: /^(?:two Hosts|the header twice|the right header and a wrong one)(?:, beside |$)/,
  },
  'an empty Host and a request line without a version pass': {
    acceptedBy: 'validator',
    class: 'malformed',
    label: /^(?:an empty Host|no version)$/,
  },
  'a Content-Type that is malformed, of another charset or there twice passes': {
    acceptedBy: 'validator',
    class: 'media',
    label: /^the type \S+; (?:charset|=1|charset=.*)$|^the type twice$|^two types$/,
  },
  'a compressed body is decompressed': { acceptedBy: 'validator', class: 'media', label: /^the coding gzip$/ },
  'a scheme that only contains `bearer` passes for it': {
    acceptedBy: 'validator',
    class: 'auth',
    label: /^a scheme that (?:ends in|begins with) the right one(?:, beside |$)/,
  },
  'a path passes in another case and with a slash at its end': {
    acceptedBy: 'validator',
    class: 'path',
    label: /^(?:a slash at the end|upper case)$/,
  },
  'a query parameter behind 1,000 others is not seen': {
    acceptedBy: 'validator',
    class: 'parameter',
    label: /, behind 1,100 ampersands$/,
  },
  'a target in absolute form is 404': { acceptedBy: 'kit', class: 'path', label: /^the target in absolute form$/ },
};

/** The name of a difference; undefined where it is not known. */
export function nameOf({ case: one, acceptedBy }: Difference): string | undefined {
  const [name] =
    Object.entries(DIFFERENCES).find(
      ([, kind]) =>
        kind.acceptedBy === acceptedBy && (kind.class ?? one.class) === one.class && kind.label.test(one.label),
    ) ?? [];
  return name;
}
