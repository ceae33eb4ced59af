/** What programs write to reach outside their work folder, by language. */

/** What a line reaches for. `programs`: it starts another program; `made_code`: it generates code at run time. */
export type Reach = "network" | "environment" | "other_files" | "programs" | "made_code";

export type Language = "python" | "shell" | "node" | "other";

/** A line that matches `pattern` and not `except` reaches for something. */
export interface Habit {
  readonly reach: Reach;
  readonly languages: readonly Language[];
  readonly pattern: RegExp;
  readonly except?: RegExp;
  readonly why: string;
}

const ALL: readonly Language[] = ["python", "shell", "node", "other"];

/** In order of precedence; the first match of a kind is reported. */
export const HABITS: readonly Habit[] = [
  {
    reach: "network",
    languages: ["python", "other"],
    pattern:
      /\b(?:import|from)\s+(?:requests|urllib3?|http\.client|httpx|aiohttp|socket|socketserver|ssl|smtplib|ftplib|poplib|imaplib|telnetlib|xmlrpc|paramiko|websockets?|boto3|botocore|pycurl|grpc|asyncssh|huggingface_hub)\b/,
    why: "imports a library for the network",
  },
  {
    reach: "network",
    languages: ["python"],
    pattern:
      /\b(?:urlopen|create_connection|open_connection|urlretrieve)\s*\(|\bsocket\.socket\b|\brequests\.(?:get|post|put|patch|delete|request|Session)\b/,
    why: "connects to the network",
  },
  {
    reach: "network",
    languages: ["node"],
    pattern:
      /["'](?:node:)?(?:https?|http2|net|tls|dgram|dns)(?:\/promises)?["']|["'](?:axios|got|undici|node-fetch|ws|ssh2|superagent|nodemailer|socket\.io-client)["']/,
    why: "imports a library for the network",
  },
  {
    reach: "network",
    languages: ["node"],
    pattern:
      /\bfetch\s*\(|\bnew\s+(?:WebSocket|XMLHttpRequest|EventSource)\b|\bnavigator\.sendBeacon\b|\bDeno\.connect/,
    why: "connects to the network",
  },
  {
    reach: "network",
    languages: ["shell"],
    pattern:
      /(?:^|[\s;|&("'`])(?:curl|wget|ncat|netcat|nc|ssh|scp|sftp|rsync|telnet|socat|nslookup|dig|host|aria2c)(?=\s|$|["'])|\/dev\/(?:tcp|udp)\//,
    why: "names a program that uses the network",
  },
  {
    reach: "network",
    languages: ["python", "node", "other"],
    pattern:
      /["'`](?:curl|wget|ncat|netcat|nc|ssh|scp|sftp|rsync|telnet|socat|nslookup|aria2c)(?=["'`\s])|\/dev\/(?:tcp|udp)\//,
    why: "names a program that uses the network",
  },
  {
    reach: "network",
    languages: ALL,
    pattern:
      /\bgit["'\s,]+(?:clone|fetch|pull|push|ls-remote)\b|\b(?:pip3?|npm|pnpm|yarn|gem|cargo|apt|apt-get|brew|uv)["'\s,]+(?:install|add|i|ci)\b|\b(?:npx|uvx|pipx)["'\s,]+[-\w@]/,
    why: "fetches or sends something over the network",
  },
  {
    reach: "network",
    languages: ["other"],
    pattern:
      /\b(?:https?|ftp|wss?):\/\/|\bNet::|\bLWP\b|\bTCPSocket\b|\bfsockopen\b|\bcurl_(?:init|exec)\b|\bInvoke-WebRequest\b|\bnet\/http\b|\bfile_get_contents\s*\(\s*["']http/i,
    why: "connects to the network",
  },
  {
    reach: "environment",
    languages: ["python", "other"],
    pattern: /\benvironb?\b|\b(?:os\.)?getenvb?\b|\bdotenv\b/,
    why: "reads the environment",
  },
  {
    reach: "environment",
    languages: ["node"],
    pattern: /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|\bDeno\.env\b|\bBun\.env\b|["']dotenv["']/,
    why: "reads the environment",
  },
  {
    reach: "environment",
    languages: ["shell"],
    pattern:
      /(?:^|[;|&(`]|\$\()\s*(?:printenv|env|set|export\s+-p|declare\s+-[xp])\s*(?:$|[;|&>)`])|\bprintenv\b|\bcompgen\s+-[ve]/,
    why: "reads the whole environment",
  },
  {
    reach: "environment",
    languages: ["shell"],
    pattern: /\$\{?!?\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|ACCESS_KEY|PRIVATE_KEY)\w*/i,
    why: "reads a secret of the environment",
  },
  {
    reach: "environment",
    languages: ["other"],
    pattern: /\bENV\s*[[{]|\$_ENV\b|\$env:|\bSystem\.getenv\b|\benv::var\b/,
    why: "reads the environment",
  },
  {
    reach: "other_files",
    languages: ALL,
    pattern:
      /(?:^|["'`\s=(:,<>])\/(?:etc|proc|sys|root|home|Users|usr|var|dev|opt|mnt|media|run|boot|srv|bin|sbin|lib|tmp)(?:\/|["'`\s),;]|$)/,
    except: /^[^/]*\/dev\/(?:null|stdin|stdout|stderr|tty)\b[^/]*$/,
    why: "names a path outside the work folder",
  },
  {
    reach: "other_files",
    languages: ALL,
    pattern:
      /(?:^|["'`\s=(/])\.\.(?:[/\\]|["'`])|(?:^|["'`\s=(:])~(?:\/|["'`]|\w+\/)|\$\{?HOME\b|\bexpanduser\b|\bPath\.home\b|\bhomedir\s*\(|%USERPROFILE%/,
    why: "leaves the work folder",
  },
  {
    reach: "other_files",
    languages: ALL,
    pattern:
      /\.(?:ssh|aws|gnupg|kube|netrc|npmrc|pypirc|docker|git-credentials|bash_history|config\/gcloud)\b|\bid_(?:rsa|ed25519|ecdsa)\b/,
    why: "names a file that often contains keys",
  },
  {
    reach: "programs",
    languages: ["python", "other"],
    pattern:
      /\bsubprocess\b|\bos\.(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawn\w*)\b|\bpty\.spawn\b|\bcreate_subprocess_\w+/,
    why: "starts another program",
  },
  {
    reach: "programs",
    languages: ["node"],
    pattern:
      /["'](?:node:)?child_process["']|\b(?:execSync|spawnSync|execFileSync|execFile)\s*\(|\bDeno\.(?:run|Command)\b|\bBun\.spawn/,
    why: "starts another program",
  },
  {
    reach: "programs",
    languages: ["other"],
    pattern: /\b(?:system|popen|proc_open|shell_exec|passthru|exec)\s*\(|\bIO\.popen\b|\bos\/exec\b/,
    why: "starts another program",
  },
  {
    reach: "made_code",
    languages: ["python"],
    pattern:
      /(?:^|[^.\w])(?:eval|exec|compile|__import__)\s*\(|\bimportlib\.import_module\b|\bmarshal\.loads\b|\bpickle\.loads?\b/,
    why: "runs generated code",
  },
  {
    reach: "made_code",
    languages: ["node"],
    pattern: /(?:^|[^.\w])eval\s*\(|\bnew\s+Function\s*\(|["'](?:node:)?vm["']/,
    why: "runs generated code",
  },
  {
    reach: "made_code",
    languages: ["shell", "other"],
    pattern: /(?:^|[\s;|&(])eval\b|\bbase64\s+(?:-d|-D|--decode)\b|\|\s*(?:ba|z|da)?sh\b/,
    why: "runs generated code",
  },
];
