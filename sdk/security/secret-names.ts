/** Names of files that hold credentials by custom; a folder of such a name may be anything. */
export const secretFileNames = (
  ".envrc .secret_key secret-key secret_key credentials credentials.json credentials.toml credentials.yml " +
  "credentials.yaml credentials.db credentials.xml credentials.ini credentials.csv .git-credentials " +
  "auth-profiles.json .auth-profiles.json oauth_creds.json .pypirc .npmrc _netrc .pgpass .my.cnf .htpasswd " +
  ".dockercfg .boto .s3cfg service-account*.json service_account*.json client_secret*.json id_dsa id_ecdsa " +
  "id_rsa_sk id_ecdsa_sk id_ed25519_sk *.pfx *.jks *.keystore *.netrc *.ppk *.kdbx *.ovpn"
).split(" ");

/** Folders in which programs keep credentials. */
export const secretFolderNames =
  ".ssh .aws .gnupg .kube .azure .docker .gcloud .gemini .secrets .password-store .terraform.d".split(" ");
