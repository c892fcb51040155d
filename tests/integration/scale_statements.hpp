// Facts about each statement for the test of plans: the values it is called with, the product's
// session that runs it, and the statements that read all of something. Plain values.
#pragma once

#include <map>
#include <set>
#include <string>

#include "access/sql.hpp"
#include "intents/sql.hpp"
#include "jobs/sql.hpp"
#include "ledger/sql.hpp"
#include "payments/sql.hpp"
#include "workflows/sql.hpp"

namespace pawl::testing {

// Arguments of a statement, as SQL. Other statements get a value of each parameter's type.
inline const std::map<const db::Query*, std::string> values_of{
    {&access::sql::list_audit, "NULL,NULL,0,50"},
    {&access::sql::find_act, "'s','none'"},
    {&access::sql::last_act, "'s'"},
    {&access::sql::insert_token, "'p','api',sha256('x'),'h',5"},
    {&access::sql::insert_audit, "'p','a','s','r','{}',NULL,NULL"},
    {&ledger::sql::list_balances, "'','',50"},
    {&ledger::sql::transfers_of, "'user:5',0,50"},
    {&ledger::sql::transfers_of_clearing, "'demo:clearing',0,50"},
    {&ledger::sql::posted_effects, "'{demo/capture/5}'"},
    {&ledger::sql::lock_balances, "'{user:5}','{USD}'"},
    {&ledger::sql::read_sequences, "'{demo}','{account:5}'"},
    {&ledger::sql::read_totals, "'{demo/capture/t5}'"},
    {&ledger::sql::insert_reports, "'{demo/capture/x}','{2026-01-01}'"},
    {&intents::sql::mark_dispute, "'demo','d5','demo/capture/5','opened',now(),now()"},
    {&intents::sql::signaled_payments, "'{pay:o5:1}'"},
    {&ledger::sql::post_transfers,
     "'{new5}','{a:clearing}','{user:5}','{USD}','{1}','{demo}','{new5}','{1}',now(),NULL,NULL,"
     "'{user:5}','{USD}','{1}','{0}','{1}','{f}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL"},
    {&intents::sql::claim_mode, "'test'"},
    {&payments::sql::reap_keys, "now(),500"},
    {&payments::sql::find_answers, "'{shop}','{POST /}','{done5}'"},
    {&payments::sql::payments_of, "'o5'"},
    {&payments::sql::refunds_of, "'p5'"},
    {&payments::sql::captures_of, "'p5'"},
    {&payments::sql::find_capture, "'cap5'"},
    {&payments::sql::lock_capture, "'cap5'"},
    {&payments::sql::insert_capture, "'newc','p5',7,'capture:o5:1:7',1,true,'c',now()"},
    {&payments::sql::save_capture, "'cap5','succeeded','failed',NULL,NULL,1,now()"},
    {&payments::sql::live_payment, "'o5'"},
    {&payments::sql::root_movements, "'demo/capture/5'"},
    {&payments::sql::open_disputes, "'demo/capture/5'"},
    {&payments::sql::holder_of_root, "'demo/capture/5'"},
    {&payments::sql::save_order, "'o5','paid',1,0,now()"},
    {&payments::sql::insert_order, "'new','5','USD','x','x',now()"},
    {&payments::sql::insert_payment,
     "'newp','free',7,'pay:free:7','x','x',1,'USD','x',NULL,'c',now(),NULL,NULL,false,"
     "false"},
    {&payments::sql::insert_refund, "'newr','p5','o5',7,'refund:o5:7',1,'USD','c',now()"},
    {&payments::sql::insert_key, "'shop','POST /','new',sha256('x'),'s',now(),now(),now()"},
    {&payments::sql::save_payment,
     "'p5','succeeded','refunded',NULL,NULL,NULL,NULL,1,false,false,now(),NULL,0,1,NULL"},
    {&payments::sql::save_refund, "'r5','succeeded','failed',NULL,NULL,1,now()"},
    {&payments::sql::answer_key, "'shop','POST /','done5',200,NULL,'',now()"},
    {&payments::sql::answer_subject, "'p5',200,NULL,'',now()"},
    {&payments::sql::renew_key, "'shop','POST /','done5',sha256('x'),'s',now(),now(),now()"},
    {&workflows::sql::claim_runs, "'sandbox',now(),100,30"},
    {&workflows::sql::wake_signalled, "now(),'{charge_order}','{late}','',500"},
    {&workflows::sql::list_runs, "NULL,NULL,NULL,NULL,NULL,0,50"},
    {&workflows::sql::renew_leases, "'{5}','{0}',30"},
    {&workflows::sql::signal_keys, "'{pay:o5:1}'"},
    {&workflows::sql::new_signals, "'pay:w5:1'"},
    {&workflows::sql::lock_run, "'pay:w5:1'"},
    {&workflows::sql::wake_run, "'pay:w5:1',now(),'cancel'"},
    {&workflows::sql::insert_root_signals,
     "'{demo/capture/5}','{demo}','{x}','movement',"
     "'captured',now()"},
    {&workflows::sql::force_call, "'pay:o5:1','failed','n',now()"},
    {&workflows::sql::confirm_call, "'pay:o5:1'"},
    {&workflows::sql::insert_signals, "'{pay:w5:1}','{t}',NULL,NULL,NULL,'{demo}','{x}',now()"},
    {&workflows::sql::start_run, "'charge_order','new','k','sandbox','a','{}',now(),'c'"},
    {&workflows::sql::move_run, "5,0,'a','running',NULL,NULL,now()"},
    {&workflows::sql::record_answer,
     "'pay:o5:1','succeeded',false,200,NULL,NULL,NULL,NULL,NULL,1,0,0,now(),"
     "NULL"},
    {&workflows::sql::redirect_run, "5,'a','done',NULL,now()"},
    {&jobs::sql::move_jobs,
     "0,500,now(),'{notify}','{notify}','{credit.applied}','{t}','{shop}','{f}'"},
    {&jobs::sql::adopt_jobs, "'{notify}','{shop}','{t}',100"},
    {&jobs::sql::bring_forward_jobs, "'notify','shop',now() - interval '2 hours',100"},
    {&jobs::sql::claim_jobs, "now(),30,'{notify}','{shop}','{100}','{2000-01-01}'"},
    {&jobs::sql::claim_jobs_in_order, "now(),30,'notify','shop',8,'',256,1"},
    {&jobs::sql::claim_suspects, "now(),30,'{notify}','{shop}','{100}',100"},
    {&jobs::sql::count_jobs, "500"},
    {&jobs::sql::finish_jobs, "'{10000003}','{shop}','{0}','{done}','{NULL}','{NULL}','{f}',now()"},
    {&jobs::sql::keep_jobs, "'{10000003}','{shop}','{0}',30"},
    {&jobs::sql::list_jobs, "NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,50"},
    {&jobs::sql::find_job, "10000003,'shop'"},
    {&jobs::sql::lock_job, "10000003,'shop'"},
    {&jobs::sql::lock_done_job, "5,'shop'"},
    {&jobs::sql::discard_job, "10000003,'shop',now(),'x'"},
    {&jobs::sql::retry_job, "50000005,'shop',now(),'x'"},
    {&jobs::sql::stage_jobs, "'{notify}','{\"{}\"}','{c}',now()"},
    {&intents::sql::claim_unfinished, "now(), 100, 30, 0, 100"},
    {&intents::sql::finish_intents,
     "'{demo}','{wait5}','{t}','{done}','{applied}','{n}','{a}','{o}','{1}','{k}','{1}','{USD}',"
     "NULL,NULL,now(),'{0}','{1}',NULL"},
    {&intents::sql::count_redeliveries, "'{demo}','{done5}','{1}','{1}'"},
    {&intents::sql::delete_effect_waits, "'{demo/capture/w5}','{demo}','{wait5}'"},
    {&intents::sql::delete_turn_waits, "'{waits}','{account:1}','{13}','{demo}','{wait10}'"},
    {&intents::sql::read_effect_waits, "'{demo/capture/w5}', 256"},
    {&intents::sql::read_turn_waits, "'{waits}','{account:1}','{1}','{1}',64"},
    {&intents::sql::read_intents, "'{demo,demo}','{done5,wait5}',30,0,'','{demo}','{wait5}','{1}'"},
    {&intents::sql::read_stored, "'demo','done5'"},
    {&intents::sql::posted_keys, "'demo','done5'"},
    {&ledger::sql::transfers_of_event, "'demo','done5','{demo/capture/5}'"},
    {&intents::sql::read_first_delivery, "1,'demo','done5'"},
    {&intents::sql::insert_posted_shapes, "'{demo}','{[]}','{credit delta minor}',now()"},
    {&intents::sql::list_intents, "NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,50"},
    {&intents::sql::list_rejections, "NULL,NULL,NULL,NULL,NULL,NULL,50"},
    {&intents::sql::overdue_gaps, "now(),10"},
    {&intents::sql::wake_effect_waiters, "'{demo/capture/w5}',now()"},
    {&intents::sql::wake_next_turns, "'{waits}','{account:1}',now()"},
    {&intents::sql::locked_balances, "'{user:5}','{USD}'"},
    {&intents::sql::survey_roots, "'{demo/capture/5}','{demo/refund_total/5}','{user:5}','{USD}'"},
    {&intents::sql::digest_of_entry, "'import/x/2'"},
    {&intents::sql::lock, "'{5}'"},
    {&intents::sql::locked_keys, "'{5}'"},
    {&intents::sql::insert_intents,
     "'{demo}','{new5}','{t}','{pending}','{pending}','{n}','{1}','{\"\\\\x00\"}',"
     "'{\"\\\\x00\"}','{a}','{o}','{1}','{k}','{1}','{USD}','{c}','{2026-01-01}',NULL,"
     "'{2026-01-01}','{1}','{0}','{2}',now(),1,NULL"},
    {&intents::sql::insert_effect_waits, "'{demo/capture/x}','{demo}','{wait5}','{1}',now()"},
    {&intents::sql::keys_of_segment, "1,'demo','done5',100"},
    {&intents::sql::find_in_segments, "'{demo}','{done5}','{1}'"},
    {&intents::sql::older_have_ended, "'5'"},
    {&intents::sql::write_delivery_block, "now(),1,'\\x01'"},
    {&intents::sql::keep_open_deliveries,
     "'{0}','{2026-01-01}','{demo}','{POST}','{/}','{r}','{\"\\\\x00\"}','{\"\\\\x00\"}'"},
    {&intents::sql::insert_redeliveries,
     "'{demo}','{done5}','{1}','{\"\\\\x00\"}','{0}','{0}','{2}'"},
    {&intents::sql::read_redeliveries, "'{demo}','{done5}','{\"\\\\x00\"}'"},
    {&intents::sql::insert_rejections,
     "'{2026-01-01}','{demo}','{wrong_secret}','{POST}','{/}','{r}','{\"\\\\x00\"}',"
     "'{\"\\\\x00\"}'"},
    {&intents::sql::insert_turn_waits,
     "'{waits}','{account:1}','{1}','{demo}','{wait10}','{1}','{f}'"},
};

// Lists, and an operator's questions and acts: planned for their values, by other sessions.
inline const std::set<const db::Query*> planned_for_their_values{
    &access::sql::list_audit,   &access::sql::list_tokens,   &ledger::sql::list_balances,
    &workflows::sql::list_runs, &jobs::sql::list_jobs,       &jobs::sql::find_job,
    &jobs::sql::lock_job,       &jobs::sql::discard_job,     &jobs::sql::retry_job,
    &jobs::sql::lock_done_job,  &intents::sql::list_intents, &intents::sql::list_rejections,
};

// These read all that there is of something, and say how much or how old that is.
inline const std::map<const db::Query*, const char*> reads_all{
    {&ledger::sql::sum_clearing, "the sum of a clearing account is made of all its transfers"},
    {&workflows::sql::oldest_runs, "a gauge of all unfinished runs"},
    {&workflows::sql::steps_in_flight, "at start: are there steps that this program lacks?"},
    {&intents::sql::oldest_unfinished, "a gauge of all unfinished events"},
    {&intents::sql::count_open, "gauges of all that is unfinished"},
    {&access::sql::list_pauses, "an operator's list: the events that wait for a resumption"},
    {&intents::sql::list_attention, "an operator's list of all that waits, by cause"},
    {&intents::sql::describe_intent, "an operator's question; the outbox has no index for it"},
    {&intents::sql::list_posted_shapes, "at start: a row for each key of a provider file"},
    {&intents::sql::make_partition, "a function that makes tables"},
    {&intents::sql::analyze_partitioned, "a function over partitions"},
    {&intents::sql::drop_partition, "a function over partitions"},
    {&jobs::sql::drop_done_jobs, "a function over partitions"},
    {&intents::sql::purge_intents, "a function over the events of a provider, in steps"},
    {&intents::sql::reap_open_deliveries, "a function over copies, in steps"},
};

}  // namespace pawl::testing
