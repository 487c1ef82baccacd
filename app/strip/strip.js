const MOST_BYTES = 20e6;

// One paste listener for each mounted strip, aimed at what its last run was given.
const strips = new WeakMap();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let own = strips.get(parentElement);
  if (!own) {
    own = { onpaste: (event) => paste(event, own.setTriggerValue) };
    strips.set(parentElement, own);
    document.addEventListener("paste", own.onpaste);
  }
  own.setTriggerValue = setTriggerValue;
  draw(parentElement.querySelector(".strip"), data, setTriggerValue);
  return () => {
    document.removeEventListener("paste", own.onpaste);
    strips.delete(parentElement);
  };
}

function draw(row, data, setTriggerValue) {
  const focused = row.getRootNode().activeElement?.dataset.id;
  row.replaceChildren(
    ...data.photos.map((photo) => {
      const holder = document.createElement("div");
      holder.className = "photo";
      const choose = document.createElement("button");
      choose.type = "button";
      choose.className = "choose";
      choose.dataset.id = photo.id;
      choose.title = photo.name;
      choose.setAttribute("aria-label", `Show ${photo.name}`);
      choose.setAttribute("aria-pressed", String(photo.id === data.chosen));
      const image = document.createElement("img");
      image.src = photo.thumb;
      image.alt = "";
      choose.append(image);
      choose.onclick = () => setTriggerValue("choose", photo.id);
      holder.append(choose);
      if (photo.own) {
        const remove = document.createElement("button");
        remove.type = "button";
        remove.className = "remove";
        remove.textContent = "×";
        remove.setAttribute("aria-label", `Remove ${photo.name}`);
        remove.onclick = () => setTriggerValue("remove", photo.id);
        holder.append(remove);
      }
      return holder;
    }),
  );
  // The thumbnails are made anew at each run: whoever walks them by keyboard keeps the place.
  [...row.querySelectorAll(".choose")].find((button) => button.dataset.id === focused)?.focus();
}

async function paste(event, setTriggerValue) {
  const file = [...(event.clipboardData?.files ?? [])].find((part) => part.type.startsWith("image/"));
  if (!file) return;
  event.preventDefault();
  if (file.size > MOST_BYTES) {
    const size = (file.size / 1e6).toFixed(1);
    setTriggerValue("refused", `Expected a picture of at most 20 MB, got ${size} MB; save it smaller.`);
    return;
  }
  const reader = new FileReader();
  reader.onload = () =>
    setTriggerValue("pasted", { name: file.name || "pasted", data: reader.result.split(",", 2)[1] });
  reader.readAsDataURL(file);
}
