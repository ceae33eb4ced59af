/** The OpenAPI document as one plain page. */
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from "./document.ts";
import { escaped, page, prose } from "../http/page.ts";

/** Renders the document: routes by tag, then the named schemas. */
export function docsPage({ info, paths, components }: OpenApiDocument): string {
  const byTag = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? "Other";
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationSection(method, path, operation)]);
    }
  }
  const groups = [...byTag].map(([tag, sections]) => `<h2>${escaped(tag)}</h2>${sections.join("")}`).join("");
  const schemas = Object.entries(components["schemas"] ?? {})
    .map(([name, schema]) => `<section id="${escaped(name)}"><h3>${escaped(name)}</h3>${json(schema)}</section>`)
    .join("");
  const head = `<h1>${escaped(info.title)} ${escaped(info.version)}</h1><p>${prose(info.description)}</p>`;
  const machine = `<p>For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>`;
  return page(`${info.title} API`, `${head}${machine}${groups}<h2>Schemas</h2>${schemas}`);
}

function operationSection(method: string, path: string, operation: OpenApiOperation): string {
  const parts = [
    `<h3><b>${escaped(method.toUpperCase())}</b> <code>${escaped(path)}</code></h3>`,
    `<p>${prose(operation.summary)}.${operation.security.length === 0 ? " Needs no key." : ""}</p>`,
    operation.description === undefined ? "" : `<p>${prose(operation.description)}</p>`,
    operation.parameters.length === 0 ? "" : `<table>${operation.parameters.map(parameterRow).join("")}</table>`,
    operation.requestBody === undefined ? "" : folded("Body", json(operation.requestBody.content)),
    folded(`Answers: ${Object.keys(operation.responses).join(", ")}`, json(operation.responses)),
  ];
  return `<section>${parts.join("")}</section>`;
}

function parameterRow({ name, in: where, required, description = "", schema }: OpenApiParameter): string {
  const cells = [
    `<code>${escaped(name)}</code>`,
    `${where}${required ? ", required" : ""}`,
    `<code>${escaped(JSON.stringify(schema))}</code>`,
    prose(description),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function folded(title: string, html: string): string {
  return `<details><summary>${escaped(title)}</summary>${html}</details>`;
}

function json(value: unknown): string {
  return `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
}
