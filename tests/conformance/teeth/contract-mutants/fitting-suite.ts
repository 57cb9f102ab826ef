import type { JsonObject } from '../../../../packages/conformance/src/wire/json';
import { UnfitExample } from '../../../../packages/conformance/src/examples';
import { createSuite, type Suite } from '../../../../packages/conformance/src/suite';
import { OPTIONS } from '../find-complaint';
import { edit, pathOfReference } from './edit';

/** The suite of a mutant without the examples that no longer fit it, which would give it away before any case does. */
export function createFittingSuite(root: JsonObject, toText: (root: JsonObject) => string): Suite {
  try {
    return createSuite(toText(root), OPTIONS);
  } catch (error) {
    if (!(error instanceof UnfitExample)) throw error;
    return createFittingSuite(
      edit(root, pathOfReference(error.pointer), () => undefined),
      toText,
    );
  }
}
