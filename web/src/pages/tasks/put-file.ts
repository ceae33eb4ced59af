/** Sends a file into the sandbox of a task. By XMLHttpRequest, as fetch does not tell how much of a body has gone out. */
import { fileAddress } from "../../api/client.ts";
import { ApiError } from "../../api/problem.ts";
import type { Problem } from "../../api/types.generated.ts";

interface FileToPut {
  readonly taskId: string;
  readonly name: string;
  readonly file: File;
  /** Told the share that has gone out, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Rejects with an error that says why it did not arrive. */
export async function putFile({ taskId, name, file, onProgress }: FileToPut): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", fileAddress(taskId, name));
    request.setRequestHeader("content-type", file.type === "" ? "application/octet-stream" : file.type);
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener("loadend", () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else if (request.status === 0) reject(new Error("The connection was lost on the way."));
      else reject(new ApiError(request.status, problemIn(request.responseText)));
    });
    request.send(file);
  });
}

function problemIn(text: string): Problem | null {
  try {
    const body = JSON.parse(text) as unknown;
    return typeof body === "object" && body !== null && "code" in body ? (body as Problem) : null;
  } catch {
    return null;
  }
}
