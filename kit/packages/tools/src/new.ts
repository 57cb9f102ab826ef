/**
 * Creates new projects. This works only in the kit's repository, and needs the conformance suite.
 *
 * @example await createProject({ contract: 'library.yaml', folder: '../library', name: undefined })
 */
export { runNew } from './new/run-new';
export { createProject, type NewProject, type ProjectOptions } from './new/create-project';
export { packKit, type Kit, type PackedPackage, type Release } from './new/kit';
