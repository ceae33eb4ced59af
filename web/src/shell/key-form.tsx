/** Signing in with a key. */
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { toApiError } from "../api/problem.ts";
import type { Credential, Session } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ProblemNotice } from "../ui/notice.tsx";

interface KeyFormProps {
  readonly enter: (credential: Credential) => Promise<Session>;
  readonly onDone: () => void;
}

export function KeyForm({ enter, onDone }: KeyFormProps) {
  const [key, setKey] = useState("");
  const entering = useMutation({
    mutationFn: async () => await enter({ key: key.trim() }),
    onSuccess: onDone,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (key.trim() !== "") entering.mutate();
  };
  const isRefused = entering.isError && [401, 422].includes(toApiError(entering.error).status);
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="API key"
        name="key"
        type="password"
        autoComplete="off"
        spellCheck="false"
        required
        value={key}
        onChange={({ target }) => setKey(target.value)}
        hint="Starts with otto_. npm start prints it together with a one-time sign-in link."
        error={isRefused ? "This key is invalid or has been revoked." : null}
      />
      {entering.isError && !isRefused ? <ProblemNotice error={entering.error} /> : null}
      <Button look="primary" type="submit" isBusy={entering.isPending}>
        Sign in
      </Button>
    </form>
  );
}
