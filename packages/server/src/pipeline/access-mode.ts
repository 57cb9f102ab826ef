// Types without what another access mode has: readOnly in requests, writeOnly in replies.
/**
 * A type of a contract as a reply has it: without what is writeOnly. Bytes, files and int64s stay what they are.
 *
 * @example type Shown = Readable<components['schemas']['Account']>; // without its password
 */
export type Readable<T> = WithoutMode<T, '$write', '$read'>;

/**
 * A type of a contract as a request has it for its handler: without what is readOnly.
 *
 * @example type Sent = Writable<components['schemas']['Account']>; // without its id
 */
export type Writable<T> = WithoutMode<T, '$read', '$write'>;

/**
 * The operations of a contract as handlers see them, each type in its access mode: readOnly or writeOnly.
 *
 * @example const handlers: Handlers<WithAccessModes<operations>, security> = { getClock };
 */
export type WithAccessModes<Operations> = {
  [Id in keyof Operations]: {
    [Part in keyof Operations[Id]]: Part extends 'responses'
      ? Readable<Operations[Id][Part]>
      : Writable<Operations[Id][Part]>;
  };
};

// openapi-typescript writes `{ readonly $read: T }` for what is readOnly.
type Mode<Name extends string, T = unknown> = Readonly<Record<Name, T>>;

type WithoutMode<T, Excluded extends string, Kept extends string> = T extends Buffer | File
  ? T
  : T extends Mode<Kept, infer Inner>
    ? WithoutMode<Inner, Excluded, Kept>
    : T extends readonly unknown[]
      ? { [Key in keyof T]: WithoutMode<T[Key], Excluded, Kept> }
      : T extends object
        ? {
            [Key in keyof T as HasMode<T[Key], Excluded> extends true ? never : Key]: WithoutMode<
              T[Key],
              Excluded,
              Kept
            >;
          }
        : T;

// `never` is of each type.
type HasMode<T, Name extends string> = [NonNullable<T>] extends [never]
  ? false
  : [NonNullable<T>] extends [Mode<Name>]
    ? true
    : false;
