// A registry of npm on this machine, for the packages that are published to it.
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenOnLoopback, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';

/** What `npm publish` sends. */
interface Published {
  readonly name: string;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/** Starts an empty registry, which keeps the first version of each package that is published. */
export async function startRegistry(): Promise<ListeningServer> {
  const served = new Map<string, string | Buffer>();
  const publish = async (request: IncomingMessage): Promise<void> => {
    const { _attachments, ...document } = (await json(request)) as Published;
    served.set(`/${document.name}`, JSON.stringify(document));
    // npm has written the addresses of the tarballs into the document.
    for (const [file, { data }] of Object.entries(_attachments))
      served.set(`/${document.name}/-/${file}`, Buffer.from(data, 'base64'));
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(String(request.url).replace(/\?.*/, ''));
    if (request.method === 'PUT') void publish(request).then(() => response.writeHead(201).end('{}'));
    else response.writeHead(served.has(path) ? 200 : 404).end(served.get(path) ?? '{}');
  });
  return listenOnLoopback(server);
}
