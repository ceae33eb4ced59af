/** The definition of an HTTP tool, as JSON. */
import { toApiError } from "../../api/problem.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { readJson } from "../../ui/schema-form/json-edit.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { isJson } from "../../ui/schema-form/json-value.ts";
import type { ToolDefinition } from "./tool-definition.ts";

interface DefinitionFormProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onSend: (definition: ToolDefinition) => void;
}

export function DefinitionForm({ text, onText, action, isBusy, error, onSend }: DefinitionFormProps) {
  const read = readJson(text);
  const faults = error === null ? {} : toApiError(error).fields;
  const send = (): void => {
    // The API judges the rest, and names each field.
    if (!isBusy && read.ok && isJson(read.value)) onSend(read.value as ToolDefinition);
  };
  const messages = Object.entries(faults).map(([field, message]) => `${field}: ${message}`);
  return (
    <Card>
      <Form onSubmit={send} className="flex flex-col gap-4">
        <TextArea
          isCode
          rows={18}
          label="Definition"
          value={text}
          onChange={({ target }) => onText(target.value)}
          error={read.ok ? messages.join("; ") : read.message}
          hint="{name} in the address's path is filled from the argument of that name; other arguments go to the query of GET, HEAD and DELETE, else to the body. {{secret.NAME}} is one of your secrets. effect: none, keyed or once."
        />
        {error === null || messages.length > 0 ? null : <ProblemNotice error={error} doing="Couldn't save" />}
        <Button type="submit" look="primary" className="self-start" isBusy={isBusy} disabled={!read.ok}>
          {action}
        </Button>
      </Form>
    </Card>
  );
}
