/** Uploading a skill: pick it, read what was found and what it may do, then keep it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LoaderCircle } from "lucide-react";
import { useState } from "react";
import { sendBytes } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { SkillVerdict, UploadedSkill } from "../../api/types.generated.ts";
import { bytes } from "../../ui/amounts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DropZone } from "./drop-zone.tsx";
import { AllowedTools, PermissionDifference, ScriptList } from "./permissions.tsx";
import { type PickedFile, type PickedSkill, pickedSkill } from "./picked-skill.ts";
import { Problems, ScanFindings, Warnings } from "./skill-report.tsx";
import { Name } from "../../ui/name.tsx";

const OUTCOMES = {
  created: "is there now",
  updated: "has a new version",
  unchanged: "was there already, and is unchanged",
  restored: "is at an earlier version again",
} as const;

const REPLACES_ANOTHER =
  "Another publisher may have made the present skill of this name: its author or license differs. Replace it only if this is its next version. Otherwise give this skill another name in its SKILL.md.";

export function UploadDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} title="Upload a skill" onClose={onClose} isWide>
      <Upload />
    </Dialog>
  );
}

function Upload() {
  const [refusal, setRefusal] = useState<string | null>(null);
  const checking = useMutation({
    mutationFn: async ({ body, headers }: PickedSkill) =>
      await sendBytes<SkillVerdict>("POST", "/v1/skills/validate", body, headers),
  });
  const pick = (files: readonly PickedFile[]): void => {
    const picked = pickedSkill(files);
    setRefusal(typeof picked === "string" ? picked : null);
    if (typeof picked !== "string") checking.mutate(picked);
  };
  const { variables: picked, data: verdict } = checking;
  return (
    <div className="flex flex-col gap-4">
      <DropZone onPick={pick} />
      <div role="status" className="flex flex-col gap-4">
        {refusal === null ? null : <Notice tone="warn" title={refusal} />}
        {checking.isPending && picked !== undefined ? (
          <Busy doing={`Checking ${picked.title}, ${bytes(picked.size)}`} />
        ) : null}
      </div>
      {checking.isError && picked !== undefined ? (
        <ProblemNotice error={checking.error} doing={picked.title} onRetry={() => checking.mutate(picked)} />
      ) : null}
      {verdict === undefined || picked === undefined ? null : (
        <Verdict key={verdict.skill?.hash ?? picked.title} verdict={verdict} picked={picked} />
      )}
    </div>
  );
}

function Busy({ doing }: { readonly doing: string }) {
  return (
    <p className="flex items-center gap-2 text-quiet">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      {doing}…
    </p>
  );
}

/** What was found, and the button that keeps it where nothing speaks against it. */
function Verdict({ verdict, picked }: { readonly verdict: SkillVerdict; readonly picked: PickedSkill }) {
  const { skill, difference, valid } = verdict;
  return (
    <section aria-label="What was found" className="flex flex-col gap-4">
      <div>
        <h3 className="text-base font-semibold">
          <Name>{skill?.name ?? picked.title}</Name>
        </h3>
        {skill === null ? null : (
          <p dir="auto" className="text-quiet">
            {skill.description}
          </p>
        )}
      </div>
      <Problems problems={verdict.problems} />
      {difference === null ? null : (
        <PermissionDifference difference={difference} earlier="the present version" later="this upload" />
      )}
      <Warnings warnings={verdict.warnings} />
      {skill === null ? null : (
        <>
          <div className="flex flex-col gap-2">
            <h4 className="font-medium">What it may do</h4>
            <AllowedTools patterns={skill.allowed_tools} />
          </div>
          <div className="flex flex-col gap-2">
            <h4 className="font-medium">Its scripts</h4>
            <ScriptList scripts={skill.scripts} />
          </div>
        </>
      )}
      <div className="flex flex-col gap-2">
        <h4 className="font-medium">Scan of its files</h4>
        <ScanFindings scan={verdict.scan} />
      </div>
      {verdict.question === null ? null : <Notice tone="warn" title={REPLACES_ANOTHER} />}
      {valid && skill !== null ? (
        <Keep picked={picked} name={skill.name} isReplacing={verdict.question !== null} />
      ) : null}
    </section>
  );
}

interface KeepProps {
  readonly picked: PickedSkill;
  readonly name: string;
  /** True: it replaces the skill of another publisher, which the person was asked. */
  readonly isReplacing: boolean;
}

function Keep({ picked, name, isReplacing }: KeepProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const { headersFor } = useRequestKey();
  const keeping = useMutation({
    mutationFn: async () =>
      await sendBytes<UploadedSkill>("POST", isReplacing ? "/v1/skills?same_skill=true" : "/v1/skills", picked.body, {
        ...picked.headers,
        ...headersFor(picked.title),
      }),
    onSuccess: async ({ skill, outcome }) => {
      await queries.invalidateQueries({ queryKey: ["skills"] });
      say(`${skill.name} ${OUTCOMES[outcome]}.`);
      await navigate({ to: "/skills/$name", params: { name: skill.name }, search: {} });
    },
  });
  return (
    <div className="flex flex-col gap-3">
      {keeping.isError ? <ProblemNotice error={keeping.error} doing="Couldn't upload" /> : null}
      <div className="flex flex-wrap items-center justify-end gap-3">
        {keeping.isPending ? <Busy doing={`Uploading ${bytes(picked.size)}`} /> : null}
        <Button look="primary" isBusy={keeping.isPending} onClick={() => keeping.mutate()}>
          {isReplacing ? "Replace" : "Upload"} {name}
        </Button>
      </div>
    </div>
  );
}
