import type { Model } from '../contract/model';
import type { Level } from '../level';
import type { Validate } from '../validator';
import type { Secrets } from '../wire/secret';

/** What is needed to judge a reply. */
export interface Oracle {
  readonly model: Model;
  readonly validate: Validate;
  readonly secrets: Secrets;
  readonly level: Level;
  /** Names of headers that middleware adds to replies, in lower case. */
  readonly headers: ReadonlySet<string>;
}
