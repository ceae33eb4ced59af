/** An API by its OpenAPI document: each operation becomes a tool. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { ToolImport } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { CheckField, SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { NO_CONNECT, toConnect } from "./connect-draft.ts";
import { ConnectFields } from "./connect-fields.tsx";
import { getLevelWording } from "./tool-words.ts";

const LEVELS = ["safe", "cautious", "dangerous", "critical"] as const;
type Level = (typeof LEVELS)[number];

const EMPTY = {
  from: "url",
  url: "",
  openapi: "",
  name: "",
  base_url: "",
  include: "",
  auth: "",
  read_security: "dangerous" as Level,
  security: "dangerous" as Level,
  replace: false,
  connect: NO_CONNECT,
};
type Filled = typeof EMPTY;

export function ImportPage() {
  const [made, setMade] = useState<ToolImport | null>(null);
  return (
    <Page
      title="Import an API"
      lead="From its OpenAPI document (3.0 or 3.1). Every operation that can be called becomes a tool, under the name of the import."
    >
      {made === null ? <ImportForm onMade={setMade} /> : <Made made={made} onAgain={() => setMade(null)} />}
    </Page>
  );
}

function ImportForm({ onMade }: { readonly onMade: (made: ToolImport) => void }) {
  const [filled, setFilled, forget] = useDraft<Filled>("tools import", EMPTY);
  // Not in the draft, which the tab stores.
  const [secret, setSecret] = useState("");
  const client = useQueryClient();
  const { headersFor } = useRequestKey();
  const importing = useMutation({
    mutationFn: async () => {
      const body = toBody(filled, secret);
      return await answered(api.POST("/v1/tools/import", { body, headers: headersFor(body) }));
    },
    onSuccess: async (made) => {
      forget();
      onMade(made);
      await client.invalidateQueries({ queryKey: ["tools"] });
    },
  });
  const faults = importing.isError ? toApiError(importing.error).fields : {};
  const set = (change: Partial<Filled>) => setFilled({ ...filled, ...change });
  // A draft of an earlier release has none.
  const { connect = NO_CONNECT } = filled as Partial<Filled>;
  return (
    <Card>
      <Form onSubmit={() => !importing.isPending && importing.mutate()} noValidate className="flex flex-col gap-4">
        <SelectField label="The document" value={filled.from} onChange={({ target }) => set({ from: target.value })}>
          <option value="url">Is at an address</option>
          <option value="text">Is pasted here</option>
        </SelectField>
        {filled.from === "url" ? (
          <TextField
            label="Address of the document"
            inputMode="url"
            placeholder="https://api.example.com/openapi.json"
            hint="It is read now, and again whenever one of its tools is read again."
            value={filled.url}
            onChange={({ target }) => set({ url: target.value })}
            error={faults["url"] ?? faults["openapi"]}
          />
        ) : (
          <TextArea
            isCode
            rows={10}
            label="Document, as JSON or YAML"
            value={filled.openapi}
            onChange={({ target }) => set({ openapi: target.value })}
            error={faults["openapi"]}
          />
        )}
        <TextField
          label="Name (optional)"
          hint="Stands before the names of its tools: small letters, digits and _. Without it, the document's title."
          value={filled.name}
          onChange={({ target }) => set({ name: target.value })}
          error={faults["name"]}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <LevelField
            label="Risk of reads (GET, HEAD)"
            value={filled.read_security}
            onChange={(read_security) => set({ read_security })}
          />
          <LevelField label="Risk of other calls" value={filled.security} onChange={(security) => set({ security })} />
        </div>
        <ConnectFields
          draft={connect}
          set={(change) => set({ connect: { ...connect, ...change } })}
          secret={secret}
          setSecret={setSecret}
          faults={faults}
        />
        <details className="rounded-md border border-line">
          <summary className="px-3 py-2 text-sm font-medium">More</summary>
          <div className="flex flex-col gap-4 border-t border-line p-3">
            <TextField
              label="Base address (optional)"
              hint="The address of its operations; replaces the document's servers."
              value={filled.base_url}
              onChange={({ target }) => set({ base_url: target.value })}
              error={faults["base_url"]}
            />
            <TextArea
              label="Only these tools (optional)"
              rows={2}
              hint="Patterns, one on each line, such as weather.get*. Without them, all."
              value={filled.include}
              onChange={({ target }) => set({ include: target.value })}
              error={faultUnder(faults, "include")}
            />
            <TextArea
              label="Secrets for its security schemes (optional)"
              rows={2}
              hint="One on each line: the scheme's name, a colon, and the name of one of your secrets: apiKey: WEATHER_KEY."
              value={filled.auth}
              onChange={({ target }) => set({ auth: target.value })}
              error={faultUnder(faults, "auth")}
            />
            <CheckField
              label="Replace an import of the same name"
              checked={filled.replace}
              onChange={({ target }) => set({ replace: target.checked })}
            />
          </div>
        </details>
        {importing.isError ? <ProblemNotice error={importing.error} doing="Couldn't import" /> : null}
        <Button type="submit" look="primary" className="self-start" isBusy={importing.isPending}>
          Import
        </Button>
      </Form>
    </Card>
  );
}

function LevelField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: Level;
  readonly onChange: (level: Level) => void;
}) {
  return (
    <SelectField
      label={label}
      value={value}
      onChange={({ target }) => onChange(LEVELS.find((level) => level === target.value) ?? "dangerous")}
    >
      {LEVELS.map((level) => (
        <option key={level} value={level}>
          {`${getLevelWording(level).word}: ${getLevelWording(level).meaning}`}
        </option>
      ))}
    </SelectField>
  );
}

/** What became a tool, and what did not and why. */
function Made({
  made: { source, tools, skipped },
  onAgain,
}: {
  readonly made: ToolImport;
  readonly onAgain: () => void;
}) {
  return (
    <>
      <Notice
        title={`${tools.length === 1 ? "One tool" : `${tools.length} tools`} imported as ${source}`}
        action={
          <span className="flex flex-wrap gap-2">
            <Button size="small" onClick={onAgain}>
              Import another
            </Button>
            <Link to="/tool-sources" className={buttonClasses("plain", "small")}>
              Your own tools
            </Link>
          </span>
        }
      >
        Agents have them as far as their tools and permissions name them.
      </Notice>
      <Section title="Tools">
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {tools.slice(0, 500).map((name) => (
            <li key={name} className="px-4 py-2">
              <Link to="/tools/$name" params={{ name }} className="text-accent underline">
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </Section>
      {skipped.length === 0 ? null : (
        <Section title="Skipped">
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {skipped.slice(0, 500).map(({ operation, reason }) => (
              <li key={operation} className="px-4 py-2">
                <code className="font-mono text-sm">{operation}</code>
                <p className="text-sm text-quiet">{reason}</p>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function toBody(filled: Filled, clientSecret: string) {
  const { from, url, openapi, name, base_url, include, auth, read_security, security, replace } = filled;
  const connect = toConnect(filled.connect ?? NO_CONNECT, clientSecret);
  const patterns = splitLines(include);
  const secrets = splitLines(auth).map((line): [string, string] => {
    const [scheme = "", ...rest] = line.split(":");
    return [scheme.trim(), rest.join(":").trim()];
  });
  return {
    ...(from === "url" ? { url: url.trim() } : { openapi }),
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(base_url.trim() === "" ? {} : { base_url: base_url.trim() }),
    ...(patterns.length === 0 ? {} : { include: patterns }),
    ...(connect === null ? {} : { connect }),
    ...(secrets.length === 0 ? {} : { auth: Object.fromEntries(secrets) }),
    read_security,
    security,
    replace,
  };
}

function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function faultUnder(faults: Readonly<Record<string, string>>, field: string): string | undefined {
  return Object.entries(faults).find(([at]) => at === field || at.startsWith(`${field}.`))?.[1];
}
