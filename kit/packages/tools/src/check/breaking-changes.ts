// Finds the changes in a new version of a contract that break clients of the older one.
import {
  type NormalizedDocument as Document,
  type DocumentError,
  DocumentErrors,
  type Operation,
  type Parameter,
  type PathItem,
  type ReplyHeader,
  JSON_TYPE,
  bodySchemaOf,
  parseTemplate,
  rank,
  readAllOperations,
  resolveReference,
  toKeyWithServer,
} from '@contract-kit/contract';
import type { Analysis } from '../lint/analyse-contract';
import { toKey, type Direction } from './schema-algebra';
import { createSchemaComparison, type CompareSchemas, type Place, type SchemaChange } from './schema-changes';
import { expand, namesIn, propertyIn, toJson, toParts, typesIn, type Parts } from './schema-rules';

type Contract = Pick<Analysis, 'document' | 'operations'>;

/** A change that breaks clients. Its node and key are in the newer document. */
export interface BreakingChange extends Pick<DocumentError, 'node' | 'key' | 'message'> {
  /** The kind of change, such as `request-type`. */
  readonly rule: string;
  /** The description without the operation, because operations often share a change. */
  readonly cause: string;
  /** The description of a change in a schema, without the path to the schema. */
  readonly edit?: string;
  /** Whether the change is certain to break some clients; if false, this cannot be told from the contracts. */
  readonly isCertain: boolean;
  readonly before: Place;
}

/** The client or the server, with its version of the contract. */
interface Side {
  readonly document: Document;
  readonly operation: Operation;
  readonly isNew: boolean;
}

/** A change of one operation. Its default location is the operation itself. */
type Change = Pick<BreakingChange, 'rule' | 'cause' | 'edit' | 'isCertain'> & {
  readonly old?: Place | undefined;
  readonly now?: Place | undefined;
};

/**
 * Finds changes that break clients of the older contract, because the server rejects requests that were valid, or sends responses
 * that the older contract excludes. For webhooks and callbacks, the service is the client.
 */
export function findBreakingChanges(before: Contract, after: Contract): BreakingChange[] {
  return [
    ...compareOperations(before, after),
    ...compareOutgoing(readWebhooks(before), readWebhooks(after), 'webhook '),
  ];
}

function compareOperations(before: Contract, after: Contract): BreakingChange[] {
  const oldKeys = new Set(before.operations.map(toKeyWithServer));
  const byKey = new Map(after.operations.map((operation) => [toKeyWithServer(operation), operation]));
  const addedOperations = [...byKey].flatMap(([key, operation]) => (oldKeys.has(key) ? [] : [operation]));
  return before.operations.flatMap((operation): BreakingChange[] => {
    const now = byKey.get(toKeyWithServer(operation));
    const client: Side = { document: before.document, operation, isNew: false };
    const { method, path, object } = operation;
    const name = `${method} ${path}`;
    if (!now) {
      const isSameOperation = (candidate: Operation): boolean => candidate.method === method && candidate.path === path;
      const { operationId } = object;
      const movedOperation =
        addedOperations.find(isSameOperation) ??
        addedOperations.find((candidate) => operationId !== undefined && candidate.object.operationId === operationId);
      const cause =
        movedOperation && isSameOperation(movedOperation)
          ? `the path of the first server is now ${movedOperation.serverPath || '/'}`
          : `${name} ${movedOperation ? `is now ${movedOperation.method} ${movedOperation.path}` : 'was removed'}`;
      return [toRemoved(client, after, cause)];
    }
    const server: Side = { document: after.document, operation: now, isNew: true };
    const changes = [...compareSecurity(client, server), ...compareExchange(client, server)];
    return [
      ...changes.map((change) => toBreakingChange(change, name, client, server)),
      ...compareOutgoing(readCallbacks(client), readCallbacks(server), `${name}: callback `),
    ];
  });
}

function toChange(rule: string, cause: string): Change {
  return { rule, cause, isCertain: true };
}

function toBreakingChange(change: Change, name: string, client: Side, server: Side): BreakingChange {
  const [old, now] = client.isNew ? [server, client] : [client, server];
  const { node, key } = change.now ?? { node: now.operation.object, key: undefined };
  const before = change.old ?? { node: old.operation.object, key: undefined };
  return { ...change, message: `${name}: ${change.cause}`, node, key, before };
}

type PathItems = Readonly<Record<string, PathItem>>;

function readOutgoing(document: Document, items: PathItems = {}): Contract {
  const paths = Object.entries(items).map(([name, item]) => [`/${encodeURIComponent(name)}`, item]);
  const outgoingDocument = { ...document, servers: [], paths: Object.fromEntries(paths) as PathItems };
  const operations = readAllOperations(outgoingDocument, new DocumentErrors());
  return { document, operations };
}

function readWebhooks({ document }: Contract): Contract {
  return readOutgoing(document, (document as { webhooks?: PathItems }).webhooks);
}

function readCallbacks({ document, operation }: Side): Contract {
  const { callbacks = {} } = operation.object as { callbacks?: Readonly<Record<string, PathItems>> };
  const items = Object.entries(callbacks).flatMap(([name, callback]) =>
    Object.entries(resolveReference(document, callback, 'Callback')).map(([url, item]) => [`${name} ${url}`, item]),
  );
  return readOutgoing(document, Object.fromEntries(items) as PathItems);
}

function compareOutgoing(before: Contract, after: Contract, label: string): BreakingChange[] {
  return before.operations.flatMap((operation) => {
    const server: Side = { document: before.document, operation, isNew: false };
    const now = after.operations.find(({ method, path }) => method === operation.method && path === operation.path);
    const name = label + decodeURIComponent(operation.path.slice(1));
    if (!now) return [toRemoved(server, after, `${name} was removed`)];
    const client: Side = { document: after.document, operation: now, isNew: true };
    return compareExchange(client, server).map((change) => toBreakingChange(change, name, client, server));
  });
}

function toRemoved({ operation }: Side, { document }: Pick<Contract, 'document'>, cause: string): BreakingChange {
  const before = { node: operation.object, key: undefined };
  return { ...toChange('operation-removed', cause), message: cause, node: document, key: 'paths', before };
}

function compareExchange(client: Side, server: Side): Change[] {
  return [
    ...compareRequests(createTransfer(client, server, 'request')),
    ...compareReplies(createTransfer(server, client, 'response')),
  ];
}

interface Transfer {
  readonly sender: Side;
  readonly receiver: Side;
  readonly kind: 'request' | 'response';
  readonly compare: CompareSchemas;
  /** The wording for something that is sent but not accepted. */
  readonly wording: string;
}

function createTransfer(sender: Side, receiver: Side, kind: Transfer['kind']): Transfer {
  const [mode, isNewSender] = [kind === 'request' ? 'readOnly' : 'writeOnly', sender.isNew] as const;
  const compare = compareBetween({ sender: sender.document, receiver: receiver.document, mode, isNewSender });
  return { sender, receiver, kind, compare, wording: isNewSender ? 'was added' : 'is no longer accepted' };
}

const comparisons = new WeakMap<Document, Set<Direction & { readonly compare: CompareSchemas }>>();

// Operations share schemas, so they also share the comparison, which caches its results.
function compareBetween(direction: Direction): CompareSchemas {
  const { sender, receiver, mode } = direction;
  const cache = comparisons.get(sender) ?? new Set();
  const isSameDirection = (candidate: Direction): boolean => candidate.receiver === receiver && candidate.mode === mode;
  const comparison = [...cache].find(isSameDirection) ?? { ...direction, compare: createSchemaComparison(direction) };
  comparisons.set(sender, cache.add(comparison));
  return comparison.compare;
}

function toChanges({ kind, sender }: Transfer, name: string, changes: readonly SchemaChange[]): Change[] {
  return changes.map(({ rule, path, message, isCertain, sent, accepted }) => {
    const separator = /^(?:was added|is no longer accepted)$/.test(message) ? ' ' : ': ';
    const [old, now] = sender.isNew ? [accepted, sent] : [sent, accepted];
    const cause = [name, path].filter(Boolean).join('/') + separator + message;
    return { rule: `${kind}-${rule}`, cause, edit: message, isCertain, old, now };
  });
}

function compareRequired({ kind, sender }: Transfer, name: string, required: boolean, guaranteed = false): Change[] {
  if (!required || guaranteed) return [];
  return [toChange(`${kind}-required`, `${name} is now ${sender.isNew ? 'optional' : 'required'}`)];
}

function compareRequests(transfer: Transfer): Change[] {
  const { sender, receiver, wording: gone } = transfer;
  const [sent, accepted] = [sender.operation, receiver.operation];
  return [
    ...accepted.parameters.flatMap((parameter) =>
      compareRequired(
        transfer,
        nameOf(parameter),
        parameter.isRequired,
        findParameter(sent, accepted, parameter)?.isRequired,
      ),
    ),
    ...sent.parameters.flatMap((parameter): Change[] => {
      const [name, match] = [nameOf(parameter), findParameter(accepted, sent, parameter)];
      if (match)
        return [
          ...compareTexts(transfer, name, parameter, match),
          ...(sender.isNew ? [] : compareDefaults(name, partsOf(sender, parameter), partsOf(receiver, match))),
        ];
      // Servers ignore undeclared headers and cookies.
      return parameter.location === 'query' ? [toChange('request-parameter', `${name} ${gone}`)] : [];
    }),
    ...compareContents(transfer, 'query', toContent(sent.querystring), toContent(accepted.querystring)),
    ...compareContents(transfer, 'body', sent.body, accepted.body),
  ];
}

// If a default changes, the server behaves differently for clients that leave out the value.
function* compareDefaults(name: string, before: Parts, after: Parts, compared = new Set<string>()): Generator<Change> {
  const [sent, accepted] = [expand(before), expand(after)];
  const key = `${toKey(sent)} ${toKey(accepted)}`;
  if (compared.has(key)) return;
  compared.add(key);
  const [old, now] = [sent, accepted].map((parts) =>
    toJson(parts.find(({ schema }) => schema.default !== undefined)?.schema.default ?? null),
  );
  if (old !== 'null' && old !== now)
    yield { ...toChange('request-default', `${name}: default ${String(old)} -> ${String(now)}`), isCertain: false };
  for (const property of namesIn(sent))
    yield* compareDefaults(`${name}/${property}`, propertyIn(sent, property), propertyIn(accepted, property), compared);
}

function nameOf({ location, name }: Parameter): string {
  return `${location} ${location === 'header' ? name.toLowerCase() : name}`;
}

// Clients do not see the names of path parameters, so these are identified by their position.
function findParameter(operation: Operation, otherOperation: Operation, parameter: Parameter): Parameter | undefined {
  const toIdentity = ({ path }: Operation, { location, name }: Parameter): string =>
    location === 'path' ? String(namesInPath(path).indexOf(name)) : nameOf({ location, name } as Parameter);
  return operation.parameters.find(
    (candidate) =>
      candidate.location === parameter.location &&
      toIdentity(operation, candidate) === toIdentity(otherOperation, parameter),
  );
}

function namesInPath(path: string): string[] {
  return parseTemplate(path).flatMap((segment) => (typeof segment === 'string' ? [] : segment.names));
}

type TextField = Omit<ReplyHeader, 'name' | 'isRequired'>;

function compareTexts(transfer: Transfer, name: string, declared: TextField, accepted: TextField): Change[] {
  const { compare, kind, sender, receiver } = transfer;
  const notation = declared.style === 'json' && accepted.style === 'json' ? 'json' : 'text';
  const sent = notation === 'text' && declared.style === 'json' ? toText(sender, declared) : declared;
  const changes = toChanges(transfer, name, compare(sent.schema, accepted.schema, notation));
  if (changes.length > 0) return changes;
  const [sentStyle, style] = [describeStyle(sender, sent), describeStyle(receiver, accepted)];
  const styles = sender.isNew ? [style, sentStyle] : [sentStyle, style];
  // A single value is also a list of one item, unless it can contain the comma that separates items.
  const isListOfOne =
    sentStyle === 'of one value' &&
    (style === 'form, exploded' || (!isPrefixed(accepted) && !typesOf(sender, sent)?.has('string')));
  const allowsEmpty =
    !sent.isEmptyMissing || accepted.isEmptyMissing || typesOf(receiver, accepted)?.has('string') !== false;
  return [
    ...(sentStyle === style || isListOfOne
      ? []
      : [toChange(`${kind}-style`, `${name}: style ${styles.map((label) => `"${label}"`).join(' -> ')}`)]),
    ...(allowsEmpty ? [] : [toChange(`${kind}-empty`, `${name} may no longer be empty`)]),
    ...(sent.isPlusLiteral === accepted.isPlusLiteral
      ? []
      : [{ ...toChange(`${kind}-reserved`, `${name}: + is read in another way by allowReserved`), isCertain: false }]),
  ];
}

const ANY_TEXT = { type: 'string' };

// Describes JSON that is read as text: a number or a boolean stays the same, but a string includes its quotes.
function toText(side: Side, json: TextField): TextField {
  const types = typesOf(side, json);
  if (types?.has('string') !== false) return { ...json, schema: ANY_TEXT };
  return isScalar(types) ? json : { ...json, style: 'simple', schema: ANY_TEXT };
}

function isScalar(types: ReadonlySet<string>): boolean {
  return !types.has('object') && !types.has('array');
}

function partsOf({ document }: Side, { schema }: TextField): Parts {
  return expand(toParts(document, [schema]));
}

function typesOf(side: Side, textField: TextField): ReadonlySet<string> | undefined {
  return typesIn(partsOf(side, textField));
}

// Returns the same text for styles that serialize values in the same way. For a single value, or a list in style simple, explode
// has no effect. Strings differ in JSON, which quotes them, and in style cookie, which does not encode them.
function describeStyle(side: Side, textField: TextField): string {
  const { style, explode } = textField;
  const types = typesOf(side, textField);
  const writesStringsDifferently = (style === 'json' || style === 'cookie') && types?.has('string') !== false;
  if (!types || isScalar(types)) return isPrefixed(textField) || writesStringsDifferently ? style : 'of one value';
  return explode && (types.has('object') || style !== 'simple') ? `${style}, exploded` : style;
}

function isPrefixed({ style }: TextField): boolean {
  return style === 'label' || style === 'matrix';
}

type Media = NonNullable<Operation['body']>['media'];
type MediaEntry = Media extends ReadonlyMap<string, infer M> ? M : never;

interface Content {
  readonly isRequired: boolean;
  readonly limit?: number | undefined;
  readonly media: Media;
}

function toContent(querystring: Operation['querystring']): Content | undefined {
  if (!querystring) return undefined;
  const { media, isRequired } = querystring;
  const schema = { properties: { body: media.schema } };
  return { isRequired, media: new Map([['', { ...media, schema, item: undefined } as unknown as MediaEntry]]) };
}

function compareContents(transfer: Transfer, name: string, sent?: Content, accepted?: Content): Change[] {
  const requiredChanges = compareRequired(transfer, `the ${name}`, accepted?.isRequired === true, sent?.isRequired);
  if (!accepted) return sent ? [toChange(`request-${name}`, `the ${name} ${transfer.wording}`)] : [];
  if (!sent) return requiredChanges;
  const isLimitLower = accepted.limit !== undefined && accepted.limit < (sent.limit ?? Infinity);
  return [
    ...requiredChanges,
    ...(isLimitLower ? [toChange('request-limit', `x-body-limit is now ${String(accepted.limit)} bytes`)] : []),
    ...[...sent.media.values()].flatMap((media) => {
      const match = findMedia(accepted.media, media);
      return match
        ? compareMedia(transfer, name, media, match)
        : [toChange('request-media-type', `${name} (${media.key}) ${transfer.wording}`)];
    }),
  ];
}

function findMedia(candidates: Media, { declared }: MediaEntry): MediaEntry | undefined {
  const [best] = [...candidates.values()].sort(
    (left, right) => rank(right.declared, declared) - rank(left.declared, declared),
  );
  return best && rank(best.declared, declared) > 0 ? best : undefined;
}

function compareMedia(transfer: Transfer, name: string, sent: MediaEntry, accepted: MediaEntry): Change[] {
  const { type, kind } = accepted;
  const label = type === JSON_TYPE ? name : `${name} (${type})`;
  const notation = kind === 'form' || kind === 'multipart' ? 'form' : kind === 'text' ? 'text' : 'json';
  const [sentSchema, acceptedSchema] = [bodySchemaOf(sent), bodySchemaOf(accepted)];
  const encodings = encodingsOf(sent).flatMap(([field, style, types]) => {
    const [, otherStyle, acceptedTypes = []] = encodingsOf(accepted).find(([name]) => name === field) ?? [];
    const isAccepted = (type: MediaType): boolean => acceptedTypes.some((acceptedType) => rank(acceptedType, type) > 0);
    const isNarrower = acceptedTypes.length > 0 && (types.length === 0 || !types.every(isAccepted));
    const isStyled = otherStyle !== undefined && otherStyle !== style;
    return isNarrower || isStyled ? [toChange(`${transfer.kind}-encoding`, `${label}/${field}: encoding changed`)] : [];
  });
  return [...toChanges(transfer, label, transfer.compare(sentSchema, acceptedSchema, notation)), ...encodings];
}

type MediaType = MediaEntry['declared'];
type Encoding = [field: string, style: string, types: readonly MediaType[]];

function encodingsOf({ kind, form: { styled, named } }: MediaEntry): Encoding[] {
  const isForm = kind === 'form';
  return [
    ...[...named].map(([name, { types }]): Encoding => [name, 'part', types]),
    ...styled.map((field): Encoding => [
      field.name,
      [field.style, field.explode, isForm && field.isPlusLiteral].join(' '),
      [],
    ]),
  ];
}

type Replies = Operation['replies'];
type Status = Parameters<Replies['get']>[0];

/** Finds replies that the client does not expect. A reply that is no longer sent breaks no client. */
function compareReplies(transfer: Transfer): Change[] {
  const [sent, accepted] = [transfer.sender.operation.replies, transfer.receiver.operation.replies];
  const wording = transfer.sender.isNew ? 'was removed' : 'is no longer enough';
  return [...new Set([...accepted.keys(), ...sent.keys()])].flatMap((status): Change[] => {
    const [reply, old] = [findResponse(sent, status), findResponse(accepted, status)];
    const name = `response ${String(status)}`;
    // Clients handle an unknown error like the others of its class (4XX or 5XX).
    if (reply && !old && /^[23]/.test(String(status)))
      return [
        { ...toChange('response-status', `${name} ${transfer.wording}`), isCertain: !isRangeOfKnown(status, accepted) },
      ];
    if (!reply || !old) return [];
    const headers = old.headers.flatMap((header) => {
      const match = reply.headers.find((candidate) => candidate.name.toLowerCase() === header.name.toLowerCase());
      const label = `${name} header ${header.name.toLowerCase()}`;
      if (match)
        return [
          ...compareRequired(transfer, label, header.isRequired, match.isRequired),
          ...compareTexts(transfer, label, match, header),
        ];
      const headerChange = { ...toChange('response-header', `${label} ${wording}`), isCertain: header.isRequired };
      return header.isRequired || transfer.sender.isNew ? [headerChange] : [];
    });
    const media = [...old.media.values()].flatMap((oldMedia) => {
      const match =
        findMedia(reply.media, oldMedia) ??
        [...reply.media.values()].find(({ declared }) => rank(oldMedia.declared, declared) > 0);
      if (!match) return [toChange('response-media-type', `${name} (${oldMedia.key}) ${wording}`)];
      // JSON has no charset (RFC 8259 section 11).
      const isCharset =
        oldMedia.kind === 'json' || [oldMedia.declared.charset, 'utf-8'].includes(match.declared.charset);
      const mediaTypeChange = {
        ...toChange('response-media-type', `${name} (${oldMedia.key}) may be ${match.key}`),
        isCertain: false,
      };
      const isMediaTypeUncertain = !isCharset || rank(oldMedia.declared, match.declared) === 0;
      return [...(isMediaTypeUncertain ? [mediaTypeChange] : []), ...compareMedia(transfer, name, match, oldMedia)];
    });
    return [...headers, ...media];
  });
}

function findResponse(replies: Replies, status: Status): ReturnType<Replies['get']> {
  return replies.get(status) ?? replies.get(`${String(status).charAt(0)}XX` as Status) ?? replies.get('default');
}

// If a client knows the 200, a new range such as 2XX breaks it only if the server sends other statuses in the range.
function isRangeOfKnown(status: Status, accepted: Replies): boolean {
  return typeof status !== 'number' && [...accepted.keys()].some((key) => String(key).startsWith(status.charAt(0)));
}

type Alternative = readonly { readonly sent: string; readonly scheme: string; readonly scopes: readonly string[] }[];

// Schemes are compared by what the client sends, so renaming one breaks nothing.
function toAlternatives({ operation: { security } }: Side): Alternative[] {
  const alternatives = security.length === 0 ? [[]] : security;
  return alternatives.map((requirement) =>
    requirement.map(({ scopes, challenge, key }) => {
      const sent = key ? `${key.location} ${key.name}` : challenge.toLowerCase();
      return { scopes, sent, scheme: key?.location === 'header' ? sent.toLowerCase() : sent };
    }),
  );
}

// Returns a string such as `bearer (read, write) and header X-Key`.
function describeAlternative(alternative: Alternative): string {
  const credentials = alternative.map(
    ({ sent, scopes }) => sent + (scopes.length > 0 ? ` (${scopes.join(', ')})` : ''),
  );
  return credentials.join(' and ') || 'none';
}

function compareSecurity(client: Side, server: Side): Change[] {
  const neededAlternatives = toAlternatives(server);
  const isEnough = (alternative: Alternative): boolean =>
    neededAlternatives.some((needed) =>
      needed.every(({ scheme, scopes }) => {
        const credential = alternative.find((candidate) => candidate.scheme === scheme);
        return credential !== undefined && scopes.every((scope) => credential.scopes.includes(scope));
      }),
    );
  const now = neededAlternatives.map(describeAlternative).join(' or ');
  return toAlternatives(client)
    .filter((alternative) => !isEnough(alternative))
    .map((alternative) => toChange('security', `credentials: ${describeAlternative(alternative)} -> ${now}`));
}
