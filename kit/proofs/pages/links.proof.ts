import { globSync } from 'node:fs';
import { findBrokenLinks } from '@contract-kit/test-support/find-broken-links';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';

test.each(globSync('{*,docs/*}.md', { cwd: SERVICE_FOLDER }))('each link of %s leads somewhere', (page) => {
  expect(findBrokenLinks(SERVICE_FOLDER, page)).toEqual([]);
});
