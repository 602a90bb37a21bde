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
  /^(\.env|\.env\..+|\.envrc|\.secret_key|secret[-_]key|credentials(\.(json|toml|ya?ml|db|xml|ini|csv))?|\.git-credentials|\.?auth-profiles\.json|oauth_creds\.json|\.pypirc|\.npmrc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.dockercfg|\.boto|\.s3cfg|service[-_]account.*\.json|client_secret.*\.json|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|pfx|p12|jks|keystore|netrc|ppk|kdbx|ovpn))$/;
const templates = /^\.env\.(example|sample|template|dist|defaults)$/;
const obeyed = /(^|\/)\.git\/(.+\/)?(hooks(\/|$)|(config(\.worktree)?|commondir|gitdir|info\/attributes)$)/;
// The workspace is the home of what commands start, so programs find their settings there.
const settings =
  /^\.(gitconfig|wgetrc|wget2rc|psqlrc|sqliterc|ackrc|hgrc|less|lesskey|lessfilter|rpmmacros|(subversion|config\/(git|hg|bat|lesskey))(\/.*)?)$/;

/** True for a path that holds secrets by its name: in any case, and whatever dots or blanks end it. */
export function isSensitive(path: string): boolean {
  const parts = path
    .toLowerCase()
    .split(/[/\\]/)
    .map((part) => part.replace(/(::\$data)?[\s.]*$/, ""));
  const name = parts.findLast((part) => part !== "") ?? "";
  return (names.test(name) && !templates.test(name)) || parts.some((part) => folders.has(part));
}

/** True for a file that makes programs start others: in a repository, or, by its path from the workspace, among the settings at home. */
export function isObeyed(path: string): boolean {
  const plain = path.toLowerCase();
  return obeyed.test(plain) || settings.test(plain);
}

/** True for the folder in which git keeps its settings and hooks, or a file that says where that is. */
export function isRepository(path: string): boolean {
  return /(^|\/)\.git$/i.test(path);
}
