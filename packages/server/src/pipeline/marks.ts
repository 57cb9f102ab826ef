/**
 * A type of a contract as a reply has it: without what is writeOnly. Bytes, files and int64s stay what they are.
 *
 * @example type Shown = Readable<components['schemas']['Account']>; // without its password
 */
export type Readable<T> = WithoutMarked<T, '$write', '$read'>;

/**
 * A type of a contract as a request has it for its handler: without what is readOnly.
 *
 * @example type Sent = Writable<components['schemas']['Account']>; // without its id
 */
export type Writable<T> = WithoutMarked<T, '$read', '$write'>;

/**
 * The operations of a contract with marks, as handlers see them.
 *
 * @example const handlers: Handlers<Unmarked<operations>, security> = { getClock };
 */
export type Unmarked<Operations> = {
  [Id in keyof Operations]: {
    [Part in keyof Operations[Id]]: Part extends 'responses'
      ? Readable<Operations[Id][Part]>
      : Writable<Operations[Id][Part]>;
  };
};

// openapi-typescript writes `{ readonly $read: T }` for what is readOnly.
type Marked<Name extends string, T = unknown> = Readonly<Record<Name, T>>;

type WithoutMarked<T, Excluded extends string, Kept extends string> = T extends Buffer | File
  ? T
  : T extends Marked<Kept, infer Inner>
    ? WithoutMarked<Inner, Excluded, Kept>
    : T extends readonly unknown[]
      ? { [Key in keyof T]: WithoutMarked<T[Key], Excluded, Kept> }
      : T extends object
        ? {
            [Key in keyof T as IsMarked<T[Key], Excluded> extends true ? never : Key]: WithoutMarked<
              T[Key],
              Excluded,
              Kept
            >;
          }
        : T;

// `never` is of each type.
type IsMarked<T, Name extends string> = [NonNullable<T>] extends [never]
  ? false
  : [NonNullable<T>] extends [Marked<Name>]
    ? true
    : false;
