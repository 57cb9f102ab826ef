// The steps of a journey that replace or patch a thing.
import { essenceOf } from '../contract/media-type';
import type { CaseResult } from '../run-case';
import { isJsonObject, isSame, objectOrEmpty, type Json } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import { singleMemberBodies, rightBodies, type Body } from './bodies';
import { chosenIds } from './find-id';
import { callOn, isDone, withFindings, replyOf, type Journey, type Known } from './journey';
import type { Link } from './links';
import { mergePatch, unwrap } from './representation';
import { learnTag } from './steps';
import type { Wrong } from './take-in';
import { isIfMatch } from './thing';

const VERBS: Readonly<Record<string, string>> = { PUT: 'replace', PATCH: 'change', DELETE: 'delete' };

/** Sends PUT or PATCH for a thing. */
export async function update(
  journey: Journey,
  known: Known,
  link: Link | undefined,
  choice = 0,
): Promise<CaseResult[]> {
  if (!link || known.isGone) return [];
  const fresh = await learnTag(journey, known, link);
  const body = nextBody(journey, known, link, choice);
  const result = await callOn(journey, link, known, {
    label: `${VERBS[link.operation.method] ?? 'change'} it`,
    tag: known.tag,
    ...(body && toContent(body)),
  });
  const reply = replyOf(result);
  if (isDone(reply)) recordChange(journey, known, { link, body, reply });
  const isMissing = reply !== undefined && [404, 410].includes(reply.status);
  return [...fresh, withFindings(journey, result, isMissing ? [['kept', 'what was created cannot be changed']] : [])];
}

/** Tries to change or delete a thing with an old entity tag, or without If-Match. */
export async function changeUnconditionally(
  journey: Journey,
  known: Known,
  link: Link | undefined,
  hasTag: boolean,
): Promise<CaseResult[]> {
  if (!link || known.isGone || !isConditional(link, hasTag)) return [];
  const fresh = await learnTag(journey, known, link);
  const tag = hasTag ? known.oldTags.find((one) => one !== known.tag) : undefined;
  if (hasTag && (tag === undefined || known.tag === undefined)) return fresh;
  const body = nextBody(journey, known, link, 2);
  const verb = VERBS[link.operation.method] ?? 'change';
  const label = hasTag ? `${verb} it, If-Match has an old tag` : `${verb} it without If-Match`;
  const result = await callOn(journey, link, known, { label, tag, ...(body && toContent(body)) });
  const reply = replyOf(result);
  if (!reply || reply.status >= 300) return [...fresh, result];
  if (link.operation.method === 'DELETE') known.isGone = true;
  const wrong: Wrong = hasTag
    ? [['stale accepted', `it has success, though If-Match has ${String(tag)}, not ${String(known.tag)}`]]
    : [['unconditional', 'it has success without If-Match, though 428 is declared']];
  known.sent = undefined;
  known.tag = undefined;
  return [...fresh, withFindings(journey, result, wrong)];
}

function isConditional({ operation }: Link, hasTag: boolean): boolean {
  const match = operation.parameters.find(isIfMatch);
  // If If-Match is required, a parameter case leaves it out.
  return match !== undefined && (hasTag || (!match.isRequired && operation.replies.has('428')));
}

/** Updates the expected state after a successful change. */
function recordChange(
  { lifecycle }: Journey,
  known: Known,
  { link, body, reply }: { readonly link: Link; readonly body: Body | undefined; readonly reply: WireReply },
): void {
  const isPatch = link.operation.method === 'PATCH';
  const isMerge = isPatch && body !== undefined && isMergePatch(body);
  const { value } = body ?? {};
  known.change = {
    before: known.shown,
    patched: isMerge && isJsonObject(value) ? new Set(Object.keys(value)) : undefined,
  };
  if (!isPatch) known.sent = unwrap(value, lifecycle.writable);
  else if (isMerge) known.sent = known.sent && objectOrEmpty(mergePatch(known.sent, value ?? null));
  else
    known.sent =
      known.sent && isJsonObject(value) ? { ...known.sent, ...unwrap(value, lifecycle.writable) } : undefined;
  if (known.tag !== undefined) known.oldTags.push(known.tag);
  [known.tag] = valuesOf(reply, 'etag');
}

/** Chooses a body that differs from the current state. */
function nextBody({ tools, lifecycle }: Journey, known: Known, { operation }: Link, choice: number): Body | undefined {
  const { writable, resource } = lifecycle;
  const whole = rightBodies(tools.values, operation);
  // A patch must keep what it does not name: prefer patches with one property.
  const parts = operation.method === 'PATCH' ? singleMemberBodies(tools.values, whole) : [];
  const bodies = (parts.length > 0 ? parts : whole).filter(({ value }) =>
    chosenIds(resource.ids, value).every((id) => isSame(id, known.thing.id)),
  );
  const membersOf = ({ value }: Body): [string, Json][] => Object.entries(unwrap(value, writable));
  // Bodies with the fewest properties first: PUT removes what they leave out.
  const others = bodies
    .filter((body) => membersOf(body).some(([name, member]) => !isSame(known.sent?.[name], member)))
    .toSorted((one, other) => membersOf(one).length - membersOf(other).length);
  return others.length > 0 ? others[choice % others.length] : bodies[0];
}

function isMergePatch({ content: { mediaType } }: Body): boolean {
  return essenceOf(mediaType) === 'application/merge-patch+json';
}

function toContent({ bytes, content }: Body): { readonly body: Buffer; readonly content: Body['content'] } {
  return { body: bytes, content };
}
