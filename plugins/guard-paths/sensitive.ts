import { fileNames } from "@gantry/sdk";

const folders = new Set([
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".azure",
  ".docker",
  ".gcloud",
  ".gemini",
  ".secrets",
  ".password-store",
  ".terraform.d",
]);
const names =
  /^(\.envrc|\.secret_key|secret[-_]key|credentials(\.(json|toml|ya?ml|db|xml|ini|csv))?|\.git-credentials|\.?auth-profiles\.json|oauth_creds\.json|\.pypirc|\.npmrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.dockercfg|\.boto|\.s3cfg|service[-_]account.*\.json|client_secret.*\.json|id_(dsa|ecdsa|(rsa|ecdsa|ed25519)_sk)|.*\.(pfx|jks|keystore|netrc|ppk|kdbx|ovpn))$/;
const obeyed =
  /(^|\/)[^/]*\.git\/(.+\/)?(hooks(\/|$)|(config(\.worktree)?|commondir|gitdir|info\/attributes|objects\/info\/alternates)$)/;
// The workspace is the home of what commands start, so programs find their settings there.
const settings =
  /^\.(gitconfig|wgetrc|wget2rc|psqlrc|sqliterc|ackrc|hgrc|less|lesskey|lessfilter|rpmmacros|(subversion|config\/(git|hg|bat|lesskey))(\/.*)?)$/;

/** The names that guards know, those that the owner lists among them. */
export interface SensitiveNames {
  /** True for a path that holds secrets by its name: in any case, and whatever dots or blanks end it. */
  isSecret(path: string): boolean;
  /** True for a file that makes programs start others: in a repository, or, by its path from the workspace, among the settings at home. */
  isObeyed(path: string): boolean;
}

export function sensitiveNames(secret: readonly string[], guarded: readonly string[]): SensitiveNames {
  const isListedSecret = inAnyForm(fileNames(secret, { copies: true }));
  const isGuarded = inAnyForm(fileNames(guarded));
  return {
    isSecret(path) {
      const parts = plain(path).split("/");
      const name = parts.findLast((part) => part !== "") ?? "";
      return names.test(name) || parts.some((part) => folders.has(part)) || isListedSecret(path);
    },
    isObeyed(path) {
      const lower = path.toLowerCase();
      return obeyed.test(lower) || settings.test(lower) || isGuarded(path);
    },
  };
}

/** True for the folder in which git keeps its settings and hooks, or a file that says where that is. */
export function isRepository(path: string): boolean {
  return /(^|\/)\.git$/i.test(path);
}

/** A file system may not tell dots and blanks at the end apart. */
function inAnyForm(fits: (path: string) => boolean): (path: string) => boolean {
  return (path) => fits(path) || fits(plain(path));
}

function plain(path: string): string {
  return path
    .toLowerCase()
    .split(/[/\\]/)
    .map((part) => part.replace(/(?:::\$data)?(?<![\s.])[\s.]*$/, ""))
    .join("/");
}
