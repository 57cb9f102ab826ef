// Items of coverage: the parts of a contract that cases can produce.

/** An item that the contract declares, and where. */
export interface Declared {
  /** The operationId; empty for items of the whole contract. */
  readonly operation: string;
  readonly kind: 'class' | 'reply' | 'security' | 'rule' | 'reply property' | 'reply shape' | 'error';
  readonly name: string;
  /** Several statuses may share one item. */
  readonly places: readonly Place[];
}

/** Where an item is declared. */
export interface Place {
  /** In the contract's spelling; undefined for items of requests. */
  readonly status: string | undefined;
  /** The name of the item at this status. */
  readonly name: string;
  /** Whether replies may lack it. */
  readonly isOptional: boolean;
}

/** An item that is declared or was produced, and how often. */
export interface Item extends Declared {
  readonly isDeclared: boolean;
  readonly count: number;
}

export type ItemName = Pick<Item, 'operation' | 'kind' | 'name'>;

export function toItemKey({ operation, kind, name }: ItemName): string {
  return [operation, kind, name].join('\n');
}
