// What the stateful cases work with.
import type { Operation } from '../contract/model';
import type { Tools } from '../run-case';
import type { Sample } from '../sample';
import type { Suite } from '../suite';
import type { InstanceStore } from './instance-store';
import type { Links } from './links';

/** How the stateful cases are run. */
export interface StatefulOptions {
  /** Whether valid requests to an operation are sent; all are unless it is set. */
  readonly isWanted?: (operation: Operation) => boolean;
  /** About how many cases of an operation, if not all. */
  readonly sample?: Sample | undefined;
  /** How many cases are under way at once, one unless it is set. */
  readonly workers?: number;
}

export interface State {
  readonly suite: Suite;
  readonly tools: Tools;
  readonly links: Links;
  readonly instances: InstanceStore;
  /** Whether valid requests are sent to an operation. */
  readonly isAllowed: (operation: Operation) => boolean;
  readonly options: StatefulOptions;
}
