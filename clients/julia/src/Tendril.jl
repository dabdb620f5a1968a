"""
Tendril over HTTP: requests as JSON, answers as dictionaries and arrays.

    using Tendril
    client = Client("http://127.0.0.1:8080")
    robot = example(client, "cdm")
    put(client, robot["model"])
    evaluate(client, "cdm"; q = fill(0.1, 24), want = ["fd", "dfd_dq"])["dfd_dq"]   # 24 x 24
"""
module Tendril

import Downloads
import JSON

export Client, TendrilError, request, example, put, get_model, evaluate, submit, check, wait_for, result, import_robot

"What the server refused: its code, sentence, and place in what was sent (a JSON pointer)."
struct TendrilError <: Exception
    status::Int
    code::String
    detail::String
    pointer::String
end

Base.showerror(io::IO, e::TendrilError) =
    print(io, "TendrilError ($(e.code)): ", e.detail, isempty(e.pointer) ? "" : " (at $(e.pointer))")

"A server; `token` as `tendrild token create` gives it. Without an address: TENDRIL_URL, TENDRIL_TOKEN."
struct Client
    url::String
    token::Union{String,Nothing}
end
Client(url::AbstractString = get(ENV, "TENDRIL_URL", "http://127.0.0.1:8080"); token = get(ENV, "TENDRIL_TOKEN", nothing)) =
    Client(rstrip(url, '/'), token)

"""
    request(client, method, path, body = nothing)

The answer to one request of api/openapi.yaml, parsed; nothing where there is none. Throws TendrilError.
"""
function request(client::Client, method::AbstractString, path::AbstractString, body = nothing)
    headers = ["Accept" => "application/json"]
    client.token === nothing || push!(headers, "Authorization" => "Bearer " * client.token)
    output = IOBuffer()
    input = nothing
    if body !== nothing
        push!(headers, "Content-Type" => "application/json")
        input = IOBuffer(body isa AbstractString ? body : JSON.json(body))
    end
    answer = Downloads.request(client.url * path; method = method, headers = headers, input = input, output = output, throw = false)
    answer isa Downloads.RequestError && throw(TendrilError(0, "unreachable", answer.message, ""))
    text = String(take!(output))
    parsed = isempty(text) ? nothing : JSON.parse(text)
    answer.status < 400 && return parsed
    problem = parsed isa AbstractDict ? parsed : Dict()
    throw(TendrilError(answer.status, get(problem, "code", "internal"), get(problem, "detail", text), something(get(problem, "pointer", ""), "")))
end

"A shipped robot: \"model\" and \"job\"."
example(client::Client, name::AbstractString) = request(client, "GET", "/v1/examples/" * name)

"Stores a document under its own name."
put(client::Client, model::AbstractDict) = request(client, "PUT", "/v1/models/" * model["name"], model)

"Document, coordinates and channels of a stored model."
get_model(client::Client, name::AbstractString) = request(client, "GET", "/v1/models/" * name)

# Lists of lists of equal length as an array, whose axes are those of the contract.
function array(value)
    value isa AbstractVector || return value isa AbstractDict ? Dict(k => array(v) for (k, v) in value) : value
    isempty(value) && return Float64[]
    value[1] isa AbstractVector || return all(x -> x isa Real, value) ? Float64.(value) : value
    rows = array.(value)
    all(r -> r isa AbstractArray && size(r) == size(rows[1]), rows) || return rows
    return permutedims(cat(rows...; dims = ndims(rows[1]) + 1), (ndims(rows[1]) + 1, 1:ndims(rows[1])...))
end

"""
    evaluate(client, model; q, qd, u, qdd, want = ["fd"])

Quantities (api/quantities.md) of a model, a name or a document, at one state: a dictionary of arrays.
"""
function evaluate(client::Client, model; q, qd = nothing, u = nothing, qdd = nothing, want = ["fd"])
    state = Dict{String,Any}("q" => collect(q))
    for (key, value) in ("qd" => qd, "u" => u, "qdd" => qdd)
        value === nothing || (state[key] = collect(value))
    end
    body = Dict{String,Any}("want" => want isa AbstractString ? [want] : collect(want), "states" => [state])
    path = model isa AbstractString ? "/v1/models/$model:evaluate" : "/v1/evaluate"
    model isa AbstractString || (body["model"] = model)
    found = request(client, "POST", path, body)["states"][1]
    if haskey(found, "error")
        e = found["error"]
        throw(TendrilError(200, e["code"], e["detail"], ""))
    end
    return Dict(name => array(value) for (name, value) in found)
end

"Submits a job document; returns the job."
submit(client::Client, job) = request(client, "POST", "/v1/jobs", job)

"""
    check(client, job)

What a submission would say, and nothing is queued: a `TendrilError`, or the job with its `warnings`.
"""
check(client::Client, job) = request(client, "POST", "/v1/jobs?validate=1", job)

"Waits for the end of a job; throws TendrilError where it did not succeed."
function wait_for(client::Client, id::AbstractString; every = 0.2)
    while true
        job = request(client, "GET", "/v1/jobs/" * id)
        job["state"] == "succeeded" && return job
        if job["state"] in ("failed", "cancelled")
            e = something(get(job, "error", nothing), Dict())
            throw(TendrilError(200, get(e, "code", job["state"]), get(e, "detail", "the job was $(job["state"])"), ""))
        end
        sleep(every)
    end
end

"Summary and arrays of a job that has succeeded; time, problems, points come first, as in the contract."
function result(client::Client, id::AbstractString)
    found = request(client, "GET", "/v1/jobs/$id/result")
    return Dict("summary" => found["summary"], "arrays" => Dict(name => array(value) for (name, value) in found["arrays"]))
end

"""
    import_robot(client, path; words...)

The model document of a URDF, MJCF or USD (as text, .usda); what found no place in it is warned of, with its lines (api/import.md).
"""
function import_robot(client::Client, path::AbstractString; words...)
    text = read(path, String)
    format = startswith(text, "#usda") ? "usd" : occursin("<mujoco", text) && !occursin("<robot", text) ? "mjcf" : "urdf"
    body = Dict{String,Any}(format => text)
    for (key, value) in words
        body[String(key)] = value
    end
    found = request(client, "POST", "/v1/models:import", body)
    for remark in found["remarks"], place in remark["places"]
        @warn "line $(place["line"]): $(place["what"]) $(remark["detail"])"
    end
    return found["document"]
end

end
