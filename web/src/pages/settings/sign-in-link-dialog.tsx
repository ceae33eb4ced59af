import { useMutation } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";

/** Makes a link that signs another browser in, once, with the key of this session. */
export function SignInLinkDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} title="Sign-in link" onClose={onClose}>
      <SignInLink />
    </Dialog>
  );
}

function SignInLink() {
  const making = useMutation({ mutationFn: async () => await answered(api.POST("/v1/session/links", { body: {} })) });
  if (making.isSuccess)
    return (
      <div className="flex flex-col gap-3">
        <CodeBlock text={making.data.url} label="the link" />
        <p className="text-quiet">
          It works once, until <Time at={making.data.expires_at} />. The person who opens it is signed in as you.
        </p>
      </div>
    );
  return (
    <div className="flex flex-col gap-4">
      <p>
        Opens this console on another device, once, without showing a key: with your own rights, for as long as a
        session lasts.
      </p>
      {making.isError ? <ProblemNotice error={making.error} /> : null}
      <Button look="primary" isBusy={making.isPending} onClick={() => making.mutate()}>
        Create link
      </Button>
    </div>
  );
}
