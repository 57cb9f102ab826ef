// The steps of a journey that create, read and delete.
import type { CaseResult } from '../run-case';
import { toText } from '../wire/json';
import { locationOf } from './find-id';
import { callOn, declaresAbsence, isDone, withFindings, replyOf, type Journey, type Known } from './journey';
import type { Link } from './links';
import { readRepresentation, unwrap } from './representation';
import { idShownBy, compareAndRemember } from './take-in';
import { isIfMatch, type Thing } from './thing';

/** Creates a thing, with the default body or another by the choice. */
export async function createOne(journey: Journey, choice = 0): Promise<CaseResult[]> {
  const { things, lifecycle, made } = journey;
  const { resource, writable } = lifecycle;
  const thing = await things.make(resource, choice);
  const results = things.results.splice(0);
  const last = results.pop();
  if (!thing?.isOurs || !last) return [...results, ...(last ? [last] : [])];
  const isKnown = !resource.isChosen && made.some((known) => !known.isGone && isSameThing(known.thing, thing));
  made.push({
    thing,
    sent: unwrap(thing.body?.value, writable),
    shown: readRepresentation(lifecycle.create, thing.exchange.reply, writable),
    change: undefined,
    tag: thing.tag,
    oldTags: [],
    isGone: false,
  });
  return [
    ...results,
    withFindings(journey, last, isKnown ? [['another', 'what was created has the id of another']] : []),
  ];
}

/** Reads a thing, and checks that it has what was sent, or is gone after DELETE. */
export async function readOne(journey: Journey, known: Known): Promise<CaseResult[]> {
  const link = journey.lifecycle.read;
  if (!link) return [];
  const result = await callOn(journey, link, known, { label: known.isGone ? 'read what was deleted' : 'read it' });
  const reply = replyOf(result);
  if (!reply) return [result];
  if (known.isGone) {
    const isShown = reply.status < 300 && declaresAbsence(link.operation);
    return [withFindings(journey, result, isShown ? [['gone', 'what was deleted can still be read']] : [])];
  }
  if (reply.status >= 300) return [withFindings(journey, result, [['kept', 'what was created cannot be read']])];
  return [withFindings(journey, result, compareAndRemember(journey, known, link, reply))];
}

/** Reads the target of `Location`, and checks that it is the created thing. */
export async function followLocation(journey: Journey, known: Known): Promise<CaseResult[]> {
  const { read: link } = journey.lifecycle;
  const target = locationOf(known.thing.exchange, journey.tools.target.base);
  if (!link || known.isGone || target === undefined || known.thing.exchange.reply.status !== 201) return [];
  const result = await callOn(journey, link, known, { label: 'read what Location leads to', target });
  const reply = replyOf(result);
  if (!reply) return [result];
  const shown = reply.status < 300 ? readRepresentation(link.operation, reply, journey.lifecycle.writable) : undefined;
  const id = shown && idShownBy(journey, shown);
  const isAnother = id !== undefined && id !== toText(known.thing.id);
  const isNowhere = [404, 410].includes(reply.status);
  const text = `Location leads to ${isNowhere ? 'nothing' : 'another one'}: ${target}`;
  return [withFindings(journey, result, isNowhere || isAnother ? [['location', text]] : [])];
}

/** Deletes a thing, or one that was deleted before. */
export async function deleteOne(journey: Journey, known: Known): Promise<CaseResult[]> {
  const link = journey.lifecycle.remove;
  if (!link) return [];
  const fresh = known.isGone ? [] : await learnTag(journey, known, link);
  const label = known.isGone ? 'delete what was deleted' : 'delete it';
  const result = await callOn(journey, link, known, { label, tag: known.tag });
  const reply = replyOf(result);
  const isTwice = known.isGone && isDone(reply) && declaresAbsence(link.operation);
  const isMissing = !known.isGone && reply !== undefined && [404, 410].includes(reply.status);
  if (isDone(reply)) known.isGone = true;
  return [
    ...fresh,
    withFindings(journey, result, [
      ...(isTwice ? [['deleted twice', 'what was deleted is deleted again with success'] as const] : []),
      ...(isMissing ? [['kept', 'what was created cannot be deleted'] as const] : []),
    ]),
  ];
}

/** Reads a thing if its entity tag is needed and unknown. */
export async function learnTag(journey: Journey, known: Known, { operation }: Link): Promise<CaseResult[]> {
  const isNeeded = known.tag === undefined && operation.parameters.some(isIfMatch);
  return isNeeded ? readOne(journey, known) : [];
}

function isSameThing(one: Thing, other: Thing): boolean {
  return toText(one.id) === toText(other.id) && one.parents.every((parent, index) => parent === other.parents[index]);
}
