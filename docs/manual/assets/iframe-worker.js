/* Browsers start no workers from files. Opened from a disk, the search runs in a hidden frame instead. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.frame.title = "search"
      document.body.append(this.frame)
      const inner = this.frame.contentWindow
      inner.postMessage = (data) => this.heard(data)
      inner.importScripts = (...addresses) =>
        addresses.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve())
      this.load(address).then(() => {
        this.ready = true
        this.waiting.splice(0).forEach((data) => this.postMessage(data))
      })
    }
    load(address) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script")
        script.src = address
        script.onload = done
        script.onerror = failed
        this.frame.contentDocument.body.append(script)
      })
    }
    heard(data) {
      const event = new MessageEvent("message", { data })
      this.dispatchEvent(event)
      if (this.onmessage) this.onmessage(event)
    }
    postMessage(data) {
      if (!this.ready) this.waiting.push(data)
      else {
        const inner = this.frame.contentWindow
        const event = new inner.MessageEvent("message", { data })
        inner.dispatchEvent(event)
      }
    }
    terminate() {
      this.frame.remove()
    }
  }
}
