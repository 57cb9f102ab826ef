import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}
type Model = new (data: object) => { validate(): void };

/** The schema of each kind of object. */
const SCHEMAS: Readonly<Record<string, string>> = {
  Deployment: 'kubernetes-models/apps/v1/Deployment',
  Service: 'kubernetes-models/v1/Service',
  PodDisruptionBudget: 'kubernetes-models/policy/v1/PodDisruptionBudget',
  NetworkPolicy: 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy',
  PodMonitor: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor',
};
const manifests = parseAllDocuments(readFileSync(join(SERVICE_FOLDER, 'deploy/kubernetes.yaml'), 'utf8')).map(
  (document) => document.toJS() as Manifest,
);

test.each(manifests)('the $kind conforms to the schema of its kind', async (manifest) => {
  const { [manifest.kind]: Kind } = (await import(String(SCHEMAS[manifest.kind]))) as Record<string, Model>;
  if (!Kind) throw new Error(`there is no schema of ${manifest.kind}`);
  expect(new Kind({})).toMatchObject({ apiVersion: manifest.apiVersion, kind: manifest.kind });
  new Kind(manifest).validate();
  expect(() => {
    new Kind({ ...manifest, spec: 1 }).validate();
  }).toThrow('spec');
});
