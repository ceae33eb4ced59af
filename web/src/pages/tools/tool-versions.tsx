/** The versions of an own tool, what each changed, and the next one. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { ToolVersion } from "../../api/types.generated.ts";
import { useDraft } from "../../ui/draft.ts";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { TextDifference } from "../../ui/text-difference.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DefinitionForm } from "./definition-form.tsx";
import type { ToolDefinition } from "./tool-definition.ts";

export function ToolVersions({ name }: { readonly name: string }) {
  const list = usePaged<ToolVersion>(
    ["tools", "versions", name],
    async (cursor) =>
      await answered(api.GET("/v1/tools/{name}/versions", { params: { path: { name }, query: { cursor } } })),
  );
  const [latest] = list.rows;
  return (
    <>
      <Section title="Versions">
        <Listing list={list} empty={<Empty title="No versions" />}>
          <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
            {list.rows.map((row, index) => (
              <Version key={row.version} row={row} before={list.rows[index + 1] ?? null} />
            ))}
          </ul>
        </Listing>
      </Section>
      {latest?.definition == null ? null : (
        <Section title="The next version">
          <NextVersion key={latest.version} name={name} definition={latest.definition} />
        </Section>
      )}
    </>
  );
}

function Version({ row, before }: { readonly row: ToolVersion; readonly before: ToolVersion | null }) {
  return (
    <li>
      <details>
        <summary className="px-4 py-3">
          <span className="font-medium">Version {row.version}</span>
          <span className="text-quiet">
            {row.definition === null ? ", taken away " : ", "}
            <Time at={row.created_at} />
          </span>
        </summary>
        <div className="border-t border-line p-3">
          <TextDifference label={`What version ${row.version} changed`} before={toText(before)} after={toText(row)} />
        </div>
      </details>
    </li>
  );
}

function toText(version: ToolVersion | null): string {
  return version?.definition == null ? "" : JSON.stringify(version.definition, null, 2);
}

function NextVersion({ name, definition }: { readonly name: string; readonly definition: unknown }) {
  const client = useQueryClient();
  const say = useToast();
  const [text, setText, forget] = useDraft(`tool ${name}`, JSON.stringify(definition, null, 2));
  const changing = useMutation({
    mutationFn: async (body: ToolDefinition) =>
      await answered(api.PUT("/v1/tools/{name}", { params: { path: { name } }, body })),
    onSuccess: async () => {
      forget();
      say(`${name} has a further version.`);
      await client.invalidateQueries({ queryKey: ["tools"] });
    },
  });
  return (
    <DefinitionForm
      text={text}
      onText={setText}
      action="Save as next version"
      isBusy={changing.isPending}
      error={changing.error}
      onSend={(next) => changing.mutate(next)}
    />
  );
}
