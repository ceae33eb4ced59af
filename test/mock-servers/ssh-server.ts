/** A mock SSH server on loopback with its own keys, whose test answers commands. */
import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { type Connection, Server, type ServerChannel, utils } from "ssh2";

export interface SshMockServerOptions {
  /** Accepted logins: `password:right`, or `publickey:` and the public key in OpenSSH's format. */
  readonly logins?: readonly string[];
  /** The offered login methods. */
  readonly ways?: readonly ("password" | "publickey" | "keyboard-interactive")[];
  readonly run?: (command: string, channel: ServerChannel, connection: Connection) => void;
}

export interface SshMockServer {
  readonly port: number;
  /** In OpenSSH's format. */
  readonly fingerprint: string;
  /** Attempted logins, such as `password:wrong`. */
  readonly tried: readonly string[];
  readonly commands: readonly string[];
  /** Other requests: `x11`, `auth-agent`. */
  readonly channelRequests: readonly string[];
  close(): Promise<void>;
}

/** Creates a key pair in OpenSSH's format. Retries, since the library cannot read about one in 250 of its own keys. */
export function makeSshKey(): { readonly privateKey: string; readonly publicKey: string } {
  for (;;) {
    const { private: privateKey, public: publicKey } = utils.generateKeyPairSync("ed25519");
    if (!(utils.parseKey(privateKey) instanceof Error)) return { privateKey, publicKey };
  }
}

export async function startSshServer(options: SshMockServerOptions = {}): Promise<SshMockServer> {
  const { logins = ["password:right"], ways = ["password", "publickey"], run = echo } = options;
  const hostKey = makeSshKey();
  const [tried, commands, asked]: [string[], string[], string[]] = [[], [], []];
  const open = new Set<Connection>();
  const server = new Server({ hostKeys: [hostKey.privateKey] }, (connection) => {
    open.add(connection);
    connection.on("error", () => undefined);
    connection.on("close", () => open.delete(connection));
    connection.on("authentication", (context) => {
      const { method } = context;
      if (method === "none") return context.reject([...ways]);
      const judge = (what: string) => {
        tried.push(what);
        if (logins.includes(what)) context.accept();
        else context.reject([...ways]);
      };
      if (method === "password") return judge(`password:${context.password}`);
      if (method === "publickey") return judge(`publickey:${context.key.algo} ${context.key.data.toString("base64")}`);
      if (method === "keyboard-interactive")
        return context.prompt([{ prompt: "Password: ", echo: false }], (answers) =>
          judge(`keyboard:${answers[0] ?? ""}`),
        );
      return context.reject([...ways]);
    });
    connection.on("session", (accept) => {
      const session = accept();
      for (const what of ["x11", "auth-agent", "pty", "env", "shell", "sftp"] as const)
        session.on(what as "pty", () => void asked.push(what));
      session.on("exec", (acceptExec, _reject, { command }) => {
        commands.push(command);
        run(command, acceptExec(), connection);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const key = utils.parseKey(hostKey.publicKey);
  if (key instanceof Error) throw key;
  const hash = createHash("sha256").update(key.getPublicSSH()).digest("base64");
  return {
    port: (server.address() as AddressInfo).port,
    fingerprint: `SHA256:${hash.replace(/=+$/, "")}`,
    tried,
    commands,
    channelRequests: asked,
    close: async () => {
      for (const connection of open) connection.end();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function echo(command: string, channel: ServerChannel): void {
  channel.write(`ran ${command}\n`);
  channel.exit(0);
  channel.end();
}
