// Checks that a file is downloaded as it was uploaded: by POST, as a part of a form, or by PUT.
import { validRequest } from '../generators/valid-request';
import { EVERY_BYTE } from '../generators/sent-body';
import { replyContentOf } from '../oracle/body';
import { findReply, type Operation } from '../contract/model';
import { normalizePath } from '../contract/path-template';
import { writeContent } from '../contract/serialization';
import type { CaseResult, Finding } from '../oracle/checks';
import { isJsonObject } from '../wire/json';
import { essenceOf } from '../wire/media-type';
import { valuesOf, type WireReply } from '../wire/reply';
import { createValidBodies, type ValidBody } from './bodies';
import { isCompleted, judgeableReplyOf, withFindings } from './scenario';
import { sendValid, type Instance } from './instance-store';
import type { LinkedOperation } from './links';
import type { InstanceRun } from './run-instance-cases';

interface File {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Downloads what the creation of each resource uploads, and what a PUT to the same path uploads then. */
export async function* downloadFiles(state: InstanceRun): AsyncGenerator<CaseResult> {
  const { links, tools, instances, isAllowed } = state;
  for (const resource of links.resources) {
    const { create } = resource;
    const reads = links.linkedOperations.filter(
      (linked) =>
        linked.resource === resource && isAllowed(linked.operation) && isDownload(linked.operation, resource.path),
    );
    if (!create || reads.length === 0) continue;
    const upload = createValidBodies(tools.values, create)
      .map(withFile)
      .find((each) => each !== undefined);
    const instance = await instances.createNew(resource, upload?.body);
    yield* instances.takeResults();
    if (!instance?.isCreatedByRun) continue;
    for (const read of reads) {
      const first = yield* download(state, read, instance, upload?.file);
      const put = links.linkedOperations.find(
        ({ operation: { method, path } }) => method === 'PUT' && path === read.operation.path,
      );
      if (put && isAllowed(put.operation)) yield* replaceFile(state, { put, read, first, instance });
    }
  }
}

// Other names may mean something else that is made of the file, such as a thumbnail.
const FILE_SEGMENT = /\/(?:contents?|files?|download|data|raw|blob|binary|bytes|body|attachment|document)$/i;

function isDownload({ method, path, replies }: Operation, resourcePath: string): boolean {
  const isNamed = FILE_SEGMENT.test(path) || normalizePath(path) === normalizePath(resourcePath);
  return method === 'GET' && isNamed && [...(replies.get('200')?.contents ?? [])].some(({ kind }) => kind !== 'json');
}

// Servers may read and write images and texts in another form, but keep what they do not know.
function isKept(type: string): boolean {
  return essenceOf(type).startsWith('application/');
}

/** The body with every byte in its only file. */
function withFile(body: ValidBody): { readonly body: ValidBody; readonly file: File } | undefined {
  const { content, value } = body;
  if (content.kind === 'bytes') return { body, file: { type: content.mediaType, bytes: body.body } };
  if (content.kind !== 'multipart' || !isJsonObject(value)) return undefined;
  const [[name, part] = [], another] = Object.keys(value).flatMap((key) => {
    const found = content.parts.get(key);
    return found?.kind === 'file' && !found.isList ? [[key, found] as const] : [];
  });
  if (name === undefined || !part || another) return undefined;
  const withBytes = { ...value, [name]: EVERY_BYTE };
  const type = part.mediaTypes[0] ?? 'application/octet-stream';
  const own = { ...body, value: withBytes, body: writeContent(content, withBytes) };
  return { body: own, file: { type, bytes: Buffer.from(EVERY_BYTE, 'latin1') } };
}

async function* download(
  { tools, instances }: InstanceRun,
  read: LinkedOperation,
  instance: Instance,
  file: File | undefined,
): AsyncGenerator<CaseResult, WireReply | undefined> {
  const values = await instances.bindIds(read, instance);
  if (!values) return undefined;
  const result = await sendValid(
    tools,
    read.operation,
    validRequest(values, read.operation),
    'download what was uploaded',
  );
  const reply = judgeableReplyOf(result);
  const declared = reply && findReply(read.operation, reply.status);
  const content = declared && replyContentOf(declared, reply);
  const isOther =
    isCompleted(reply) &&
    reply.status === 200 &&
    file !== undefined &&
    content?.kind !== 'json' &&
    isKept(file.type) &&
    essenceOf(valuesOf(reply, 'content-type')[0] ?? '') === essenceOf(file.type) &&
    !reply.body.equals(file.bytes);
  const text = `the ${String(reply?.body.length)} bytes of the file are not the ${String(file?.bytes.length)} bytes that were uploaded`;
  yield withFindings({ tools }, result, isOther ? [{ check: 'value-changed', text }] : []);
  return reply;
}

interface Replacement {
  readonly put: LinkedOperation;
  readonly read: LinkedOperation;
  readonly first: WireReply | undefined;
  readonly instance: Instance;
}

async function* replaceFile(
  state: InstanceRun,
  { put, read, first, instance }: Replacement,
): AsyncGenerator<CaseResult> {
  const { tools, instances } = state;
  const content = put.operation.body?.contents.find(({ kind }) => kind === 'bytes');
  const etag = first && valuesOf(first, 'etag')[0];
  const values = content && (await instances.bindIds(put, { ...instance, etag: etag ?? instance.etag }));
  if (!values) return;
  const bytes = Buffer.from(`${EVERY_BYTE}\r\nreplaced`, 'latin1');
  const request = validRequest(values, put.operation, { content, body: bytes });
  const result = await sendValid(tools, put.operation, request, 'replace what was uploaded');
  yield result;
  if (!isCompleted(judgeableReplyOf(result))) return;
  const second = yield* download(state, read, instance, { type: content.mediaType, bytes });
  const isTagKept = etag?.startsWith('"') === true && second && valuesOf(second, 'etag')[0] === etag;
  const isNew = second?.status === 200 && first?.status === 200 && !second.body.equals(first.body);
  const text = `the representation has changed, but its ETag is still ${String(etag)}`;
  const findings: Finding[] = isTagKept === true && isNew ? [{ check: 'etag-unchanged', text }] : [];
  if (findings.length > 0) yield withFindings({ tools }, result, findings);
}
