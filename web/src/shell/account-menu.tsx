/** Who is signed in, the theme, and the way out. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { toApiError } from "../api/problem.ts";
import { sessionQuery, signOut } from "../api/session.ts";
import { IconButton } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { useToast } from "../ui/toast.tsx";
import { chooseTheme, chosenTheme, type Theme } from "./theme.ts";
import { Name } from "../ui/name.tsx";

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: "system", label: "Theme: system" },
  { theme: "light", label: "Theme: light" },
  { theme: "dark", label: "Theme: dark" },
];

interface AccountMenuProps {
  /** Called when a message appears next to the menu. */
  readonly onMessage?: () => void;
}

export function AccountMenu({ onMessage }: AccountMenuProps) {
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const say = useToast();
  const [theme, setTheme] = useState(chosenTheme);
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: async () => await navigate({ to: "/sign-in" }),
    onError: (error) => {
      say(`Signing out did not work: ${toApiError(error).message}`);
      onMessage?.();
    },
  });
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-2">
      <div className="flex items-center justify-between gap-2 pl-3">
        <p className="min-w-0 text-sm leading-5">
          {session ? (
            <>
              <Name className="block truncate font-medium">{session.tenant.name}</Name>
              <span className="block truncate text-quiet">
                Key <Name>{session.key.name}</Name>
              </span>
            </>
          ) : null}
        </p>
        <IconButton label="Sign out" aria-busy={leaving.isPending} onClick={() => leaving.mutate()}>
          <LogOut aria-hidden className="size-4.5" />
        </IconButton>
      </div>
      <SelectField
        label="Theme"
        hidesLabel
        value={theme}
        onChange={({ target }) => {
          const chosen = THEMES.find((one) => one.theme === target.value)?.theme ?? "system";
          chooseTheme(chosen);
          setTheme(chosen);
        }}
      >
        {THEMES.map(({ theme: value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
