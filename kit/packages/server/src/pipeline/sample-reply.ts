import {
  bodySchemaOf,
  exactValueOf,
  isObjectOrArray,
  makeSample,
  resolveReference,
  toReplyValue,
  type DeclaredReply,
  type Groups,
  type NormalizedDocument,
  type Operation,
  type ReplyMedia,
  type SampleOptions,
} from '@contract-kit/contract';
import { chooseMedia, toSentType } from '../errors/create-renderer';
import type { ReplyCheck, UntypedReply } from '../reply/check-reply';

export const SAMPLE_HEADER = 'X-Contract-Kit-Sample';

/** Creates a reply to a request with these path parameters; undefined if it finds no value that the contract allows. */
export type SampleReply = (path: Groups) => UntypedReply | undefined;

// Which samples to try: the first four alternatives of a union, each with all properties, and with only the required ones.
const VARIANTS: readonly SampleOptions[] = [0, 1, 2, 3].flatMap((alternative) => [
  { alternative },
  { alternative, wants: () => false },
]);

/**
 * Creates the function that replies for a handler that is not written yet. It tries the examples of the first declared success,
 * and then values that are generated from the schema, until one passes `checkReply`.
 */
export function createSampleReply(
  document: NormalizedDocument,
  operation: Operation,
  checkReply: ReplyCheck,
): SampleReply {
  const success = findSuccess(operation);
  return (path) => {
    if (!success) return undefined;
    const [status, declared] = success;
    const media = chooseMedia(declared) as ReplyMedia | undefined;
    const headers = sampleHeaders(document, declared, media);
    return bodiesOf(document, declared, media)
      .flatMap((body) => [echoParameters(body, path, media), body])
      .map((body): UntypedReply => ({ status, body, headers }))
      .find((reply) => isDeclared(reply, checkReply));
  };
}

// Finds the smallest declared status below 400; if there is none, 200 with what is declared for 2XX, or else for `default`.
function findSuccess({ replies }: Operation): [status: number, declared: DeclaredReply] | undefined {
  const [status] = [...replies.keys()].filter((key) => typeof key === 'number' && key < 400).sort();
  const key = status ?? (['2XX', 'default'] as const).find((range) => replies.has(range));
  const declared = key === undefined ? undefined : replies.get(key);
  return declared && [typeof key === 'number' ? key : 200, declared];
}

function isDeclared(reply: UntypedReply, checkReply: ReplyCheck): boolean {
  try {
    const { body } = checkReply(reply);
    // Items are checked only when they are read.
    if (typeof body === 'object' && 'next' in body) void body.next();
    return true;
  } catch {
    return false;
  }
}

// Leaves out optional headers, since a sample could mislead clients, for example by promising a next page.
function sampleHeaders(document: NormalizedDocument, declared: DeclaredReply, media: ReplyMedia | undefined): Groups {
  const { shape } = media ?? declared.defaultMessage;
  const shapes = shape.properties.get('headers')?.properties;
  const requiredHeaders = declared.headers.filter(({ isRequired }) => isRequired);
  const values: Groups = Object.fromEntries(
    requiredHeaders.map(({ name, schema }) => {
      const { [name]: header } = declared.object.headers as Readonly<Record<string, unknown>>;
      const examples = examplesOf(document, resolveReference(document, header as object, 'Header'));
      const samples = [...examples, makeSample(document, schema, { name: name.toLowerCase() })];
      const value = samples.find((sample) => sample !== undefined);
      return [name, toReplyValue(shapes?.get(name), value)];
    }),
  );
  return { ...values, ...(media && { 'Content-Type': toSentType(media) }) };
}

function bodiesOf(document: NormalizedDocument, declared: DeclaredReply, media: ReplyMedia | undefined): unknown[] {
  if (!media) return [undefined];
  const shape = (media.item ?? media).shape.properties.get('body');
  const schema = bodySchemaOf(media);
  const values = [
    ...examplesOf(document, resolveReference(document, declared.object.content?.[media.key] as object, 'MediaType')),
    ...VARIANTS.map((options) => makeSample(document, schema, options)),
  ];
  const samples = values.filter((value) => value !== undefined);
  // If the body consists of items, an example lists all items, but a sample from the schema is one item.
  const lists: unknown[][] = samples.flatMap((sample) => (Array.isArray(sample) ? [sample, [sample]] : [[sample]]));
  if (media.item) return lists.map((items) => items.map((item) => toReplyValue(shape, item)));
  const bodies = samples.map((sample) => toReplyValue(shape, sample));
  return media.kind === 'binary' ? bodies.map((body) => new Blob([String(body)])) : bodies;
}

function examplesOf(document: NormalizedDocument, entry: object): unknown[] {
  const { examples = {} } = entry as { readonly examples?: Readonly<Record<string, object>> };
  const values = Object.values(examples).flatMap((node) => {
    const example = resolveReference(document, node, 'Example');
    return ['dataValue', 'value'].map((key) => exactValueOf(example, key));
  });
  return [exactValueOf(entry, 'example'), ...values];
}

// Copies path parameters into properties of the same name, and the last parameter into `id` if its name ends in "id".
function echoParameters(body: unknown, path: Groups, media: ReplyMedia | undefined): unknown {
  if (!isObjectOrArray(body) || Array.isArray(body)) return body;
  const properties = media?.shape.properties.get('body')?.properties;
  const parameters = Object.entries(path);
  const ids = parameters.slice(-1).filter(([name]) => /id$/i.test(name));
  const echoedMembers = [...ids.map(([, value]) => ['id', value] as const), ...parameters].filter(([name]) =>
    properties?.has(name),
  );
  return Object.assign({}, body, Object.fromEntries(echoedMembers));
}
