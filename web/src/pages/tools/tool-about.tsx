/** A tool in words, its input and output as tables, its examples. */
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import type { Tool } from "../../api/types.generated.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { JsonBlock } from "../../ui/code.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { type SchemaRow, schemaRows } from "../../ui/schema-form/schema-words.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { getEffectWording, getLevelWording, getPermissionWording, formatSource, toolboxTitle } from "./tool-words.ts";
import { Name } from "../../ui/name.tsx";

export function ToolAbout({ tool }: { readonly tool: Tool }) {
  return (
    <>
      <ToolFacts tool={tool} />
      <Section
        title="Input"
        actions={
          <Link
            to="/tools/$name"
            params={{ name: tool.name }}
            search={{ view: "try" }}
            className={buttonClasses("primary", "small")}
          >
            <FlaskConical aria-hidden className="size-4" />
            Try it
          </Link>
        }
      >
        <SchemaTable caption="Fields that it takes" schema={tool.input_schema} nothing="It takes no arguments." />
      </Section>
      <Section title="Output">
        <SchemaTable caption="Output fields" schema={tool.output_schema} nothing="Any output." />
      </Section>
      {tool.examples.length === 0 ? null : (
        <Section title="Examples">
          {tool.examples.map(({ note, arguments: given }) => (
            <div key={note} className="flex flex-col gap-1">
              <p dir="auto">{note}</p>
              <JsonBlock value={given} label={`the example “${note}”`} />
            </div>
          ))}
        </Section>
      )}
      <Section title="Schemas">
        <Folded title="Input as JSON Schema" value={tool.input_schema} />
        <Folded title="Output as JSON Schema" value={tool.output_schema} />
        {tool.settings_schema === null ? null : (
          <Folded title="What an agent can set of it, as JSON Schema" value={tool.settings_schema} />
        )}
      </Section>
    </>
  );
}

function ToolFacts({ tool }: { readonly tool: Tool }) {
  const level = getLevelWording(tool.security);
  const effect = getEffectWording(tool.effect);
  const names = [tool.model_name, ...tool.also_named].filter((name) => name !== tool.name);
  return (
    <Card>
      <Facts>
        <Fact name="Risk">
          <span className="font-medium">{level.word}.</span> {level.meaning}
        </Fact>
        <Fact name="What it changes">
          <span className="font-medium">{effect.word}.</span> {effect.meaning}
        </Fact>
        <Fact name="What it needs">
          {tool.permissions.length === 0 ? (
            "No permission."
          ) : (
            <ul>
              {tool.permissions.map((permission) => (
                <li key={permission}>
                  The permission <span className="font-medium">{permission}</span>: it{" "}
                  {getPermissionWording(permission).meaning}.
                </li>
              ))}
            </ul>
          )}
          {tool.only_by_name ? (
            <p>An agent has it only when its tools name it: no pattern such as * opens it.</p>
          ) : null}
        </Fact>
        <Fact name="Where it comes from">
          <Name>{formatSource(tool.source)}</Name>, in the toolbox{" "}
          <Link to="/tools" search={{ toolbox: tool.toolbox }} className="text-accent underline">
            {toolboxTitle(tool.toolbox)}
          </Link>
        </Fact>
        {names.length === 0 ? null : <Fact name="Also called">{names.join(", ")}</Fact>}
        {tool.steers ? (
          <Fact name="In a task">It steers the task that it is called in, so it is tried in a task.</Fact>
        ) : null}
      </Facts>
    </Card>
  );
}

const COLUMNS: readonly Column<SchemaRow>[] = [
  {
    title: "Field",
    cell: ({ path, isRequired }) => (
      <>
        <code className="font-mono text-sm">{path}</code>
        <span className="block text-sm text-quiet">{isRequired ? "required" : "optional"}</span>
      </>
    ),
  },
  {
    title: "What it is",
    isMain: true,
    cell: ({ type, description, usual }) => (
      <div className="text-sm">
        <p className="first-letter:uppercase">{type}</p>
        {description === null ? null : (
          <p dir="auto" className="text-quiet">
            {description.slice(0, 1_000)}
          </p>
        )}
        {usual === undefined ? null : <p className="text-quiet">Without it: {JSON.stringify(usual).slice(0, 200)}</p>}
      </div>
    ),
  },
];

function SchemaTable({
  caption,
  schema,
  nothing,
}: {
  readonly caption: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly nothing: string;
}) {
  const rows = schemaRows(schema);
  if (rows.length === 0) return <p className="text-quiet">{nothing}</p>;
  return <Table caption={caption} columns={COLUMNS} rows={rows} rowKey={({ path }) => path} />;
}

function Folded({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <details className="rounded-lg border border-line bg-surface">
      <summary className="px-4 py-2.5 font-medium">{title}</summary>
      <div className="border-t border-line p-3">
        <JsonBlock value={value} label={title} />
      </div>
    </details>
  );
}
