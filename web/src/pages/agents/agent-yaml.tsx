/** An agent as a file: downloaded, and read as a new agent or as the next version of one. */
import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useId, useState } from "react";
import { answered, api, sendBytes } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Agent } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";

export function DownloadYaml({ agent: { id, name, version } }: { readonly agent: Agent }) {
  const say = useToast();
  const reading = useMutation({
    mutationFn: async () =>
      await answered(
        api.GET("/v1/agents/{id}", {
          params: { path: { id } },
          headers: { accept: "application/yaml" },
          parseAs: "text",
        }),
      ),
    onSuccess: (text) => save(`${name}-v${version}.yaml`, String(text)),
    onError: (error) => say(`Couldn't download: ${toApiError(error).message}`),
  });
  return (
    <Button
      isBusy={reading.isPending}
      icon={<Download aria-hidden className="size-4" />}
      onClick={() => reading.mutate()}
    >
      Download YAML
    </Button>
  );
}

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** A file of an agent, chosen or pasted. `of` is the agent that gets its next version; null: a new one is made. */
export function YamlForm({
  of,
  onMade,
}: {
  readonly of: { readonly id: string; readonly etag: string | null } | null;
  readonly onMade: (agent: Agent) => void;
}) {
  const [text, setText] = useState("");
  const { headersFor } = useRequestKey();
  const fileId = useId();
  const sending = useMutation({
    mutationFn: async () => {
      const file = new Blob([text], { type: "application/yaml" });
      if (of === null) return await sendBytes<Agent>("POST", "/v1/agents", file, headersFor(text));
      const match: Record<string, string> = of.etag === null ? {} : { "If-Match": of.etag };
      return await sendBytes<Agent>("PUT", `/v1/agents/${encodeURIComponent(of.id)}`, file, match);
    },
    onSuccess: onMade,
  });
  return (
    <Form onSubmit={() => !sending.isPending && text.trim() !== "" && sending.mutate()} className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <label htmlFor={fileId} className="text-sm font-medium">
          A file
        </label>
        <input
          id={fileId}
          type="file"
          accept=".yaml,.yml,.json,application/yaml"
          className="text-sm"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) void file.text().then(setText);
          }}
        />
      </div>
      <TextArea
        isCode
        rows={6}
        label="Or its text, as YAML"
        placeholder={"name: helper\ntools: [read_file]\nbudgets:\n  permissions: [read]"}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {sending.isError ? <ProblemNotice error={sending.error} doing="Couldn't save" /> : null}
      <Button type="submit" className="self-start" isBusy={sending.isPending} disabled={text.trim() === ""}>
        {of === null ? "Create agent from file" : "Save as next version"}
      </Button>
    </Form>
  );
}
