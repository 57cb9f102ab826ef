// The steps of a journey that create, read and delete.
import type { CaseResult } from '../run-case';
import { toText } from '../wire/json';
import { targetOf } from './find-id';
import { call, declaresAbsence, isDone, judged, replyOf, type Journey, type Known } from './journey';
import type { Link } from './links';
import { shownBy, unwrap } from './representation';
import { shownId, takeIn } from './take-in';
import { isIfMatch, type Thing } from './thing';

/** Makes one. Its body is the plain one, or another by the choice. */
export async function create(journey: Journey, choice = 0): Promise<CaseResult[]> {
  const { things, lifecycle, made } = journey;
  const { resource, writable } = lifecycle;
  const thing = await things.make(resource, choice);
  const results = things.results.splice(0);
  const last = results.pop();
  if (!thing?.isOurs || !last) return [...results, ...(last ? [last] : [])];
  const isKnown = !resource.isChosen && made.some((one) => !one.isGone && isSameThing(one.thing, thing));
  made.push({
    thing,
    said: unwrap(thing.body?.value, writable),
    shown: shownBy(lifecycle.create, thing.told.reply, writable),
    change: undefined,
    tag: thing.tag,
    oldTags: [],
    isGone: false,
  });
  return [...results, judged(journey, last, isKnown ? [['another', 'what was created has the id of another']] : [])];
}

/** Reads one: what was said of it, or that it is gone. */
export async function read(journey: Journey, known: Known): Promise<CaseResult[]> {
  const link = journey.lifecycle.read;
  if (!link) return [];
  const result = await call(journey, link, known, { label: known.isGone ? 'read what was deleted' : 'read it' });
  const reply = replyOf(result);
  if (!reply) return [result];
  if (known.isGone) {
    const isShown = reply.status < 300 && declaresAbsence(link.operation);
    return [judged(journey, result, isShown ? [['gone', 'what was deleted can still be read']] : [])];
  }
  if (reply.status >= 300) return [judged(journey, result, [['kept', 'what was created cannot be read']])];
  return [judged(journey, result, takeIn(journey, known, link, reply))];
}

/** Reads what `Location` leads to. */
export async function follow(journey: Journey, known: Known): Promise<CaseResult[]> {
  const { read: link } = journey.lifecycle;
  const target = targetOf(known.thing.told, journey.tools.target.base);
  if (!link || known.isGone || target === undefined || known.thing.told.reply.status !== 201) return [];
  const result = await call(journey, link, known, { label: 'read what Location leads to', target });
  const reply = replyOf(result);
  if (!reply) return [result];
  const shown = reply.status < 300 ? shownBy(link.operation, reply, journey.lifecycle.writable) : undefined;
  const id = shown && shownId(journey, shown);
  const isAnother = id !== undefined && id !== toText(known.thing.id);
  const isNowhere = [404, 410].includes(reply.status);
  const text = `Location leads to ${isNowhere ? 'nothing' : 'another one'}: ${target}`;
  return [judged(journey, result, isNowhere || isAnother ? [['location', text]] : [])];
}

/** Deletes one, or what is deleted already. */
export async function remove(journey: Journey, known: Known): Promise<CaseResult[]> {
  const link = journey.lifecycle.remove;
  if (!link) return [];
  const fresh = known.isGone ? [] : await learnTag(journey, known, link);
  const label = known.isGone ? 'delete what was deleted' : 'delete it';
  const result = await call(journey, link, known, { label, tag: known.tag });
  const reply = replyOf(result);
  const isTwice = known.isGone && isDone(reply) && declaresAbsence(link.operation);
  const isMissing = !known.isGone && reply !== undefined && [404, 410].includes(reply.status);
  if (isDone(reply)) known.isGone = true;
  return [
    ...fresh,
    judged(journey, result, [
      ...(isTwice ? [['deleted twice', 'what was deleted is deleted again with success'] as const] : []),
      ...(isMissing ? [['kept', 'what was created cannot be deleted'] as const] : []),
    ]),
  ];
}

export async function learnTag(journey: Journey, known: Known, { operation }: Link): Promise<CaseResult[]> {
  const isNeeded = known.tag === undefined && operation.parameters.some(isIfMatch);
  return isNeeded ? read(journey, known) : [];
}

function isSameThing(one: Thing, other: Thing): boolean {
  return toText(one.id) === toText(other.id) && one.parents.every((parent, index) => parent === other.parents[index]);
}
