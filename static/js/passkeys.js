// Passkeys: a form with `data-passkey` submits the authenticator's response. Its options are in the
// page, or at the URL in `data-passkey-options`.

const CALLS = {
  create: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  get: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
};

async function optionsOf(form) {
  const address = form.dataset.passkeyOptions;
  if (!address) {
    const options = JSON.parse(document.getElementById("passkey-options").textContent);
    return (options.creation_options ?? options.request_options).publicKey;
  }
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(answer.status === 429 ? "Too many attempts. Try again in a minute." : "");
  return (await answer.json()).request_options.publicKey;
}

function withAlone(options, form) {
  const alone = form.querySelector("[name=passwordless]");
  if (!alone?.checked) return options;
  const selection = { ...options.authenticatorSelection, residentKey: "required", requireResidentKey: true };
  return { ...options, authenticatorSelection: { ...selection, userVerification: "required" } };
}

function problemOf(error) {
  if (error.name === "InvalidStateError") return "This device already has a passkey of yours.";
  if (error.name === "NotAllowedError") return "No passkey was used. Try again.";
  return (error.name === "Error" && error.message) || "This browser can't use passkeys here. Choose another way.";
}

async function send(event) {
  event.preventDefault();
  const form = event.target;
  const problem = form.querySelector("[data-passkey-problem]");
  problem.hidden = true;
  try {
    const options = withAlone(await optionsOf(form), form);
    const credential = await CALLS[form.dataset.passkey](options);
    form.querySelector("[name=credential]").value = JSON.stringify(credential);
    form.submit();
  } catch (error) {
    problem.querySelector("span").textContent = problemOf(error);
    problem.hidden = false;
  }
}

document.querySelectorAll("form[data-passkey]").forEach((form) => form.addEventListener("submit", send));
