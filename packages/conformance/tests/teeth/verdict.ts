import type { Level } from '../../src/contract/standards';

/** Why a mutant may survive; whatever survives for no such reason is unexplained. */
export const ACCEPTED = {
  'looser reply': 'promises less of a reply than before; every reply that the server sends still fits',
  'kept anyway': 'promises more of a reply than before, which every reply of the server keeps already',
  'said elsewhere': 'another rule of the contract says the same',
  'beyond 2^53':
    'an integer of no format is promised to everybody only as far as a double is exact (RFC 8259 section 6)',
  'same on the wire': 'says in other words what a client sends and gets just as before',
  'told in prose': 'numbers of one status are told apart by their meanings only, which are prose',
  'of HEAD': 'RFC 9110 section 9.3.2: a reply to HEAD may leave it out, and no body comes that it could contradict',
  'either way': 'RFC 6750 section 3.1 leaves open whether malformed credentials count as wrong or as missing',
} as const;

export type Accepted = keyof typeof ACCEPTED;

/** Something that the suite has to notice. */
export interface Seeded {
  readonly kind: string;
  readonly name: string;
  /** Why nobody can notice it from outside, should it survive. */
  readonly accepted?: Accepted | undefined;
}

/** What became of it. */
export interface Verdict extends Seeded {
  /** What gave it away; undefined when it survived. */
  readonly complaint: string | undefined;
  /** Where it is proven at which level something is noticed. */
  readonly levels?: NoticedAt;
}

/** The mildest level at which something is noticed: which it has to be, and which it is. */
export interface NoticedAt {
  readonly expected: Level;
  readonly found: Level | undefined;
}

/** One proof of the suite's teeth. */
export interface Proof {
  readonly title: string;
  /** How many there have to be. */
  readonly least: number;
  /** How many of a hundred have to be killed. */
  readonly threshold: number;
  /** What the suite says when nothing is seeded; undefined when it is content. */
  readonly control: string | undefined;
  readonly verdicts: readonly Verdict[];
}
