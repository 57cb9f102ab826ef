// Renders what the documentation page shows without a script: the title, and the error catalogue as a table.
import type { Document } from '../contract/document/document';
import { findCatalogues } from '../contract/document/find-catalogues';
import type { Catalogue, CatalogueRow } from '../contract/refusal/catalogue-renderer';

/** Fills in names in braces, such as `{title}`. `base` is the relative path from the page to the folder of `/openapi.yaml`. */
export function renderPage(template: string, document: Document, base: string): string {
  const [catalogueOwner] = findCatalogues(document);
  const parts: Readonly<Record<string, string>> = {
    title: escapeHtml(document.info.title),
    version: escapeHtml(document.info.version),
    base,
    errors: renderErrors((catalogueOwner?.['x-error-catalogue'] ?? {}) as Catalogue),
  };
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(parts[name]));
}

function renderErrors(catalogue: Catalogue): string {
  const rows = Object.entries(catalogue).map(renderRow);
  if (rows.length === 0) return '';
  return `<section class="errors" aria-labelledby="errors">
        <h2 id="errors">Errors</h2>
        <table>
          <thead><tr><th scope="col">Number</th><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Name</th></tr></thead>
          <tbody>
            ${rows.join('\n            ')}
          </tbody>
        </table>
      </section>`;
}

function renderRow([name, { number, status, meaning }]: readonly [string, CatalogueRow]): string {
  // A long name may break at its underscores.
  const nameAsCode = `<code>${escapeHtml(name).replaceAll('_', '_<wbr>')}</code>`;
  const cells = [escapeHtml(status), escapeHtml(meaning), nameAsCode].map((cell) => `<td>${cell}</td>`);
  return `<tr><th scope="row">${escapeHtml(number)}</th>${cells.join('')}</tr>`;
}

/** Makes text of a value that YAML may have taken for a number. */
function escapeHtml(text: unknown): string {
  return String(text).replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
