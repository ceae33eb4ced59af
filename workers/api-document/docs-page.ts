/** The OpenAPI document as one plain page. */
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from "./document.ts";
import { escapeHtml, renderPage, renderProse } from "../http/page.ts";

/** Renders the document: routes by tag, then the named schemas. */
export function renderDocsPage({ info, paths, components }: OpenApiDocument): string {
  const byTag = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? "Other";
      byTag.set(tag, [...(byTag.get(tag) ?? []), renderOperation(method, path, operation)]);
    }
  }
  const groups = [...byTag].map(([tag, sections]) => `<h2>${escapeHtml(tag)}</h2>${sections.join("")}`).join("");
  const schemas = Object.entries(components["schemas"] ?? {})
    .map(([name, schema]) => `<section id="${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${json(schema)}</section>`)
    .join("");
  const head = `<h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1><p>${renderProse(info.description)}</p>`;
  const machine = `<p>For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>`;
  return renderPage(`${info.title} API`, `${head}${machine}${groups}<h2>Schemas</h2>${schemas}`);
}

function renderOperation(method: string, path: string, operation: OpenApiOperation): string {
  const parts = [
    `<h3><b>${escapeHtml(method.toUpperCase())}</b> <code>${escapeHtml(path)}</code></h3>`,
    `<p>${renderProse(operation.summary)}.${operation.security.length === 0 ? " Needs no key." : ""}</p>`,
    operation.description === undefined ? "" : `<p>${renderProse(operation.description)}</p>`,
    operation.parameters.length === 0 ? "" : `<table>${operation.parameters.map(renderParameter).join("")}</table>`,
    operation.requestBody === undefined ? "" : folded("Body", json(operation.requestBody.content)),
    folded(`Answers: ${Object.keys(operation.responses).join(", ")}`, json(operation.responses)),
  ];
  return `<section>${parts.join("")}</section>`;
}

function renderParameter({ name, in: where, required, description = "", schema }: OpenApiParameter): string {
  const cells = [
    `<code>${escapeHtml(name)}</code>`,
    `${where}${required ? ", required" : ""}`,
    `<code>${escapeHtml(JSON.stringify(schema))}</code>`,
    renderProse(description),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function folded(title: string, html: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>${html}</details>`;
}

function json(value: unknown): string {
  return `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
}
