// The parts of a contract that cases can produce.

/** What the contract declares, and where. */
export interface Declared {
  /** Empty for what is not an operation's. */
  readonly operation: string;
  readonly kind: 'class' | 'reply' | 'security' | 'rule' | 'reply property' | 'reply shape' | 'error';
  readonly name: string;
  /** Several statuses may share it. */
  readonly places: readonly Place[];
}

/** Where something is declared. */
export interface Place {
  /** As the contract spells it; undefined for what is not of a reply. */
  readonly status: string | undefined;
  /** Its name beside the operation, the status and the kind. */
  readonly name: string;
  /** Whether replies may be without it. */
  readonly isOptional: boolean;
}

/** Something that the contract declares, or that a test produced, and how often. */
export interface Item extends Declared {
  readonly isDeclared: boolean;
  readonly count: number;
}

/** What one case shows is a text, so that it can be counted. */
export function toKey(operation: string, kind: Item['kind'], name: string): string {
  return [operation, kind, name].join('\n');
}
